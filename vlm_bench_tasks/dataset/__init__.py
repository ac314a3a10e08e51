"""Recorded episodes: writing them in process, and judging them again."""
