"""Planner, actor and reporter: the planner names one step at a time, the actor executes it, and the reporter reports the result."""
