"""Renders color, metric depth and instance ids of a scene in one pass, off screen, the same on every host."""

from vlm_bench_sim.render.renderer import Renderer

__all__ = ['Renderer']
