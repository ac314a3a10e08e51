"""Motion of a robot: its driver's interface, and the planning and sending of paths."""
