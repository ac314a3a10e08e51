"""Worlds in MuJoCo: another engine behind the same interface. It holds rigid props and furniture, neither beads nor dirt."""
