"""Judges: they fold a stream of snapshots and events into a report."""
