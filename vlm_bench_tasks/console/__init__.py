"""Terminal output of the commands: an episode, an evaluation, a sweep, data generation, a check, and questions to a person."""
