"""A key-frame policy on maps from above, like 6D-CLIPort: where to take a thing, and where to let it go."""
