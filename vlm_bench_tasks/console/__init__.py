"""What people see in a terminal: one episode, an evaluation, a sweep, a data set in the making, a check, a person's questions."""
