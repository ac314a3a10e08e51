"""Measurements on this machine: each module has `report()`, which returns its lines. Run `python -m test.benchmark [module …]`."""
