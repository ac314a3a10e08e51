"""The things that stand in scenes: what is in stock, models with their sizes, furniture with joints, rooms around the table."""
