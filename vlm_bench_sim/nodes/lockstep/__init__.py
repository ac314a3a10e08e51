"""Decides when simulated time passes: the barrier, its participants, pauses and steps."""
