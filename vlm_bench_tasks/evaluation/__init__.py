"""Evaluation of policies: playing the episodes, writing the report, and comparing two reports."""
