"""A bench that runs: which nodes, in which domain, what is heard of it, and how a node of the user's own is scored on it."""
