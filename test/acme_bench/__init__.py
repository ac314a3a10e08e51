"""An extension as somebody else would write it: a family of tasks with a goal word, a skill and colors of its own, a robot, and cameras."""
