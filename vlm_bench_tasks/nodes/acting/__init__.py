"""How a policy acts over ROS: observations, commands and their order."""
