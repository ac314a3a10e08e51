"""The monitor: folds a stream of snapshots and events into a report."""
