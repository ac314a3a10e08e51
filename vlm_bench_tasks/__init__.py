"""The tasks of vlm_bench: what is in a scene, what counts as done, what the robot is told, and how all that varies."""
