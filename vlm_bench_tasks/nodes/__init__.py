"""ROS nodes for tasks: they set up episodes, judge them, and run policies."""
