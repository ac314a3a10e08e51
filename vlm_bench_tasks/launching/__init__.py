"""Running a bench: starting its nodes, choosing its domain, listening to it, and scoring a user's own node on it."""
