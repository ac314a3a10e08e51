"""The physics. Only this package imports pybullet."""
