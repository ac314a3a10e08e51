"""Variation between episodes: random streams, pools and splits, placement, and the Draw that a task file receives."""
