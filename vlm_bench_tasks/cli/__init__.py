"""The command line. It imports everything and nothing imports it; rclpy only where a command needs ROS."""
