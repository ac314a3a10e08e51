"""What dash_node needs to hear a bench."""
