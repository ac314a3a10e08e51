"""Scores of policies: how they are played for, what stands in a report, and how two reports compare."""
