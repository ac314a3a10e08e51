"""Recorded episodes: recording them in process, and judging or replaying them later."""
