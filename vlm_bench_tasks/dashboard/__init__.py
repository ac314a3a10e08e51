"""The window: a page in a browser that shows what a bench does and did. Its parts work without ROS."""
