"""Depth pixels back in the world, by what a route tells of its camera, against surfaces that are known to be there."""

import numpy as np

from vlm_bench_sim.core.geometry import Pose


def in_the_world(depth, intrinsics, pose):
    """Return (height, width, 3) points; `intrinsics` is K, `pose` position and quaternion xyzw of the optical frame in the world."""
    v, u = np.indices(depth.shape)
    lens = np.asarray(intrinsics, float)
    rays = np.stack([(u - lens[0, 2]) / lens[0, 0], (v - lens[1, 2]) / lens[1, 1], np.ones(depth.shape)], axis=-1)
    numbers = [float(value) for value in pose]
    points = Pose.of(numbers[:3], numbers[3:]).apply((rays * np.asarray(depth, float)[..., None]).reshape(-1, 3))
    return points.reshape(*depth.shape, 3)


def off_the_table(scene, ids, points):
    """Return by how much a point of a pixel that shows the table is off the height of its top at most, m."""
    shown = ids == scene.ids['table']
    assert shown.sum() > 40, 'the camera sees the table'
    return np.abs(points[shown][:, 2] - scene.table.top).max()


def off_a_prop(scene, prop, ids, points):
    """Return by how much a point of a pixel that shows a prop, where it was laid, is outside its box at most, m."""
    shown = ids == scene.ids[prop.name]
    assert shown.sum() > 3, f'the camera sees {prop.name}'
    inside = prop.pose.inverse().apply(points[shown])
    return (np.abs(inside) - np.asarray(prop.size) / 2).max()
