"""The visual meshes of a robot: the visual elements of its URDF, one mesh per link."""

from math import isfinite
from pathlib import Path
from urllib.parse import unquote, urlparse
from xml.etree import ElementTree as ET

import numpy as np
import trimesh

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.render.mesh import WHITE, Mesh, joined, shaded
from vlm_bench_sim.render.reduction import Rgb, mesh_file


def robot_meshes(urdf: str) -> dict[str, Mesh]:
    """Return, by link name, the mesh of every visible link, in the link's frame.

    Args:
        urdf: XML text with mesh files as absolute `file://` addresses.

    Raises:
        ConfigError: a mesh file is missing, or a shape is not box, cylinder, sphere or mesh.
    """
    robot = ET.fromstring(urdf)
    named = {material.get('name', ''): material for material in robot.findall('material')}
    found = {link.get('name', ''): [_visual(v, link.get('name', ''), named) for v in link.findall('visual')] for link in robot.iter('link')}
    return {name: joined(meshes) for name, meshes in found.items() if meshes}


def _visual(visual: ET.Element, link: str, named: dict[str, ET.Element]) -> Mesh:
    shapes = [] if (geometry := visual.find('geometry')) is None else list(geometry)
    if len(shapes) != 1:
        raise ConfigError(f'A visual of link {link!r} needs one shape in its <geometry>; found {len(shapes)}. Correct the URDF.')
    return _shape(shapes[0], link, _color(visual.find('material'), named)).at(_origin(visual.find('origin')))


def _color(material: ET.Element | None, named: dict[str, ET.Element]) -> Rgb:
    """Return the sRGB color of a visual's material, which may refer to one of the robot's by name; white if there is none."""
    if material is None:
        return WHITE
    given = material.find('color')
    if given is None:
        given = named.get(material.get('name', ''), material).find('color')
    if given is None:
        return WHITE
    r, g, b = (round(255 * v) for v in _numbers(' '.join(given.get('rgba', '1 1 1 1').split()[:3])))
    return (r, g, b)


def _shape(shape: ET.Element, link: str, color: Rgb) -> Mesh:
    if shape.tag == 'mesh':
        return _scaled(mesh_file(_path(shape.get('filename', ''), link), color), shape.get('scale', '1 1 1'))
    if shape.tag == 'box':
        solid = trimesh.creation.box(_numbers(shape.get('size', '')))
    elif shape.tag == 'cylinder':
        solid = trimesh.creation.cylinder(float(shape.get('radius', '')), float(shape.get('length', '')), sections=32)
    elif shape.tag == 'sphere':
        solid = trimesh.creation.icosphere(2, float(shape.get('radius', '')))
    else:
        raise ConfigError(f'Link {link!r} has a visual <{shape.tag}>; expected box, cylinder, sphere or mesh. Correct the URDF.')
    return shaded(np.asarray(solid.vertices, dtype=float), np.asarray(solid.faces, dtype=np.int32), color)


def _path(address: str, link: str) -> Path:
    parts = urlparse(address)
    path = Path(unquote(parts.path))
    if parts.scheme not in ('', 'file') or not path.is_file():
        raise ConfigError(f'Link {link!r} has the mesh {address!r}, which is not a file. Give the absolute file:// address of a file.')
    return path


def _scaled(mesh: Mesh, text: str) -> Mesh:
    scale = np.array(_numbers(text))
    normals = mesh.normals / scale
    faces = mesh.faces[:, ::-1] if np.prod(scale) < 0 else mesh.faces
    return Mesh(mesh.vertices * scale, normals / np.linalg.norm(normals, axis=1, keepdims=True), mesh.colors, faces)


def _origin(origin: ET.Element | None) -> Pose:
    if origin is None:
        return Pose()
    return Pose.from_rpy(_numbers(origin.get('xyz', '0 0 0')), _numbers(origin.get('rpy', '0 0 0')))


def _numbers(text: str) -> tuple[float, float, float]:
    values = [float(v) for v in text.split()]
    if len(values) != 3 or not all(isfinite(v) for v in values):
        raise ConfigError(f'The URDF needs three finite numbers; found {text!r}. Correct it.')
    return (values[0], values[1], values[2])
