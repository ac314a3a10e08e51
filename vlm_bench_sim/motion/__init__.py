"""Motion planning for one robot: kinematics, collision, paths, time parametrisation, grasps. Knows no simulator."""
