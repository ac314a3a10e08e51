"""The nodes of the task's side: what is asked, what became of it, and who does it."""
