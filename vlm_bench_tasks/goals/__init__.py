"""Words for "done": frozen trees whose leaves are read off two snapshots."""
