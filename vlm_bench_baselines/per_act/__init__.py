"""A policy that moves from key frame to key frame in a cube of voxels, like PerAct (Shridhar et al. 2022)."""
