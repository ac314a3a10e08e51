"""How episodes differ: streams of chance, pools and splits, placement, and the Draw that a task file receives."""
