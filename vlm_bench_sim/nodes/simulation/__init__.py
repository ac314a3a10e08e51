"""A simulated world: layout, changes, resets and reports, as simulation_interfaces and the bench request them."""
