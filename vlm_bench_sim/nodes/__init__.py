"""The nodes of the simulator's side: driver, motion and recorder."""
