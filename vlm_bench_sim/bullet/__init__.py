"""The physics engine. Only this package imports pybullet."""
