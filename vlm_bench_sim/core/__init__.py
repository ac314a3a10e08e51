"""Pure values and maths that every other layer shares: no simulator, no ROS."""
