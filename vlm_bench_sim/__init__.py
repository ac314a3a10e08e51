"""The simulated world of vlm_bench and its robot: physics, images, motion, bags and the driver's ROS interface."""

__version__ = '0.1.0'
