"""Tasks in a kitchen."""
