"""The plans of the rooms, by kind of room."""
