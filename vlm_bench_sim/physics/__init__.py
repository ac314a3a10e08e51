"""What simulated worlds share whatever engine moves them: laying out, taking, contact memory, history and the world itself."""
