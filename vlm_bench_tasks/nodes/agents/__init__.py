"""What planner, actor and reporter exchange, and how a step is executed."""
