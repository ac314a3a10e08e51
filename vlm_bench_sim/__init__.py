"""The world of vlm_bench and its body: physics, pictures, motion, bags and the driver's ROS surface."""

__version__ = '0.1.0'
