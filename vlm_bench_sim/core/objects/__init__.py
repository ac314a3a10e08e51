"""The objects of scenes: ready-made props, models with their sizes, furniture with joints, and rooms around the table."""
