"""One folder a family, one file a task; the path is the task's id."""
