"""A world that is played: laid out, changed, reset, and told of, as simulation_interfaces and the bench ask."""
