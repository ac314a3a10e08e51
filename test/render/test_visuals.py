"""The visual elements of a URDF: shapes, origins, scales and colors."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.render.visuals import robot_meshes


def urdf(*visuals: str) -> str:
    return f'<robot name="r"><material name="blue"><color rgba="0 0 1 1"/></material><link name="arm">{"".join(visuals)}</link></robot>'


def visual(shape: str, more: str = '') -> str:
    return f'<visual>{more}<geometry>{shape}</geometry></visual>'


def test_boxes_cylinders_and_spheres_have_their_size_place_and_color() -> None:
    meshes = robot_meshes(
        urdf(
            visual('<box size="0.2 0.4 0.6"/>', '<origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><material name="blue"/>'),
            visual('<cylinder radius="0.1" length="0.5"/>', '<origin xyz="0 5 0"/><material><color rgba="1 0.5 0 1"/></material>'),
            visual('<sphere radius="0.3"/>', '<origin xyz="0 -5 0"/>'),
        )
    )
    arm = meshes['arm']
    y = arm.vertices[:, 1]
    for chosen, low, high, color in (
        (np.abs(y) < 2, (0.8, -0.1, -0.3), (1.2, 0.1, 0.3), (0, 0, 255)),
        (y > 2, (-0.1, 4.9, -0.25), (0.1, 5.1, 0.25), (255, 128, 0)),
        (y < -2, (-0.3, -5.3, -0.3), (0.3, -4.7, 0.3), (255, 255, 255)),
    ):
        assert np.allclose(arm.vertices[chosen].min(axis=0), low, atol=0.01)
        assert np.allclose(arm.vertices[chosen].max(axis=0), high, atol=0.01)
        assert (arm.colors[chosen] == color).all()


def test_a_mirrored_mesh_still_faces_outward(tmp_path: Path) -> None:
    trimesh.creation.box((1.0, 1.0, 1.0)).export(tmp_path / 'box.stl')
    arm = robot_meshes(urdf(visual(f'<mesh filename="file://{tmp_path}/box.stl" scale="2 -1 1"/>')))['arm']
    assert np.allclose(np.ptp(arm.vertices, axis=0), (2.0, 1.0, 1.0))
    a, b, c = arm.vertices[arm.faces].transpose(1, 0, 2)
    assert (np.einsum('ij,ij->i', np.cross(b - a, c - a), (a + b + c) / 3) > 0).all()
    assert (np.einsum('ij,ij->i', arm.normals, arm.vertices) > 0).all()


def test_the_panda_is_white_with_dark_parts() -> None:
    meshes = robot_meshes(robot('panda').urdf)
    assert {'panda_link0', 'panda_link7', 'panda_hand', 'panda_leftfinger', 'panda_rightfinger'} <= meshes.keys()
    colors = np.concatenate([mesh.colors for mesh in meshes.values()])
    assert (colors.min(axis=1) > 220).mean() > 0.5
    assert (colors.max(axis=1) < 80).mean() > 0.1
    assert sum(len(mesh.faces) for mesh in meshes.values()) < 8000


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('<mesh filename="file:///nowhere/arm.obj"/>', "'arm' has the mesh 'file:///nowhere/arm.obj'"),
        ('<mesh filename="package://robot/arm.obj"/>', 'absolute file:// address'),
        ('<capsule radius="1"/>', 'box, cylinder, sphere or mesh'),
        ('<box size="1 2"/>', 'three finite numbers'),
        ('', 'found 0'),
    ],
)
def test_a_wrong_visual_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        robot_meshes(urdf(visual(text)))
