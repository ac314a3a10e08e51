"""Wires: how a policy server is spoken to. One module for each project whose servers are understood, as it documents its own."""
