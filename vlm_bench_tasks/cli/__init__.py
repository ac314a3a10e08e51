"""The command line. It may import all other packages, and none imports it; rclpy is imported only by commands that need ROS."""
