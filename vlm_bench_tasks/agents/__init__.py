"""Planner, actor and reporter: a planner says one step at a time, an actor carries it out, a reporter says what came of it."""
