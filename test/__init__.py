"""Tests and measurements; a package, so that `python -m test.benchmark` means this one and not the standard library's."""
