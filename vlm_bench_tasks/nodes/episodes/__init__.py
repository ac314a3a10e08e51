"""What the task node and the monitor need to run an episode."""
