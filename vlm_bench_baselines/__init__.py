"""Learned baselines: policies with their training, on the policy interface alone. Nothing imports this package; it needs PyTorch."""
