"""Read and check robot profiles and camera sets: those of `config/`, and those of extensions."""

from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from math import radians
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

from pydantic import Field, PositiveFloat, model_validator

from vlm_bench_sim import mesh_shapes
from vlm_bench_sim.assets import config, resolve_packages, share, table
from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.errors import ConfigError, near, quoted
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.gripper import ParallelProfile, SuctionProfile
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.extensions import CONFIG, Extension, Joined, besides, found, joined, named_well
from vlm_bench_sim.files import File, checked

mesh_shapes.register()  # whoever knows robots meets props

_TOOL = 'tool'
NO_CAMERAS = 'none'
"""The name of no cameras, which no set has."""


class _Offset(File):
    position: Vector
    rpy: Vector


class _Parallel(File):
    kind: Literal['parallel']
    joints: tuple[str, str]
    links: tuple[str, str]
    max_opening: float = Field(gt=0)
    max_force: float = Field(gt=0)
    speed: float = Field(gt=0)
    action: str
    goal_scale: float = Field(gt=0)
    result_scale: float = Field(gt=0)


class _Suction(File):
    kind: Literal['suction']
    links: tuple[str, ...] = Field(min_length=1)
    radius: float = Field(gt=0)
    lip: float = Field(gt=0)
    force: float = Field(gt=0)
    cup_force: float = Field(gt=0)
    action: str


class _Robot(File):
    urdf: str = Field(pattern=r'^\w{1,80}\.urdf$')
    joints: tuple[str, ...] = Field(min_length=1)
    home: tuple[float, ...]
    tool_link: str
    tool: _Offset
    controller: str
    gripper: _Parallel | _Suction = Field(discriminator='kind')
    velocity: tuple[PositiveFloat, ...]
    acceleration: tuple[PositiveFloat, ...]
    max_acceleration: tuple[PositiveFloat, ...] = ()
    jerk: tuple[PositiveFloat, ...] = ()
    goal_tolerance: float = Field(gt=0)
    goal_time: float = Field(gt=0)

    @model_validator(mode='after')
    def _one_per_joint(self) -> '_Robot':
        for name in ('home', 'velocity', 'acceleration', *(name for name in ('jerk', 'max_acceleration') if getattr(self, name))):
            if len(getattr(self, name)) != len(self.joints):
                raise ValueError(f'{name} holds {len(getattr(self, name))} numbers for {len(self.joints)} joints')
        return self


class _Camera(File):
    fov_deg: float = Field(gt=0, lt=180)
    eye: Vector | None = None
    target: Vector | None = None
    link: str = ''
    position: Vector | None = None
    rpy_deg: Vector | None = None
    prompt: bool = False

    @model_validator(mode='after')
    def _stands_somewhere(self) -> '_Camera':
        looks, placed = (self.eye, self.target), (self.position, self.rpy_deg)
        if (None in looks) == (None in placed) or any(v is not None for v in (looks if None in looks else placed)):
            raise ValueError('a camera needs eye and target, or position and rpy_deg')
        if self.link and self.position is None:
            raise ValueError('a camera on a link needs position and rpy_deg there')
        return self

    def camera(self, name: str, size: tuple[int, int], robot: str) -> Camera:
        """Return the camera, mounted on the tool of that robot if its file says so."""
        width, height = size
        pose, link = self._pose(), self.link
        if link == _TOOL:
            profile = _profile(robot)
            pose, link = profile.tool @ pose, profile.tool_link
        return Camera(name, pose, link, radians(self.fov_deg), width, height)

    def _pose(self) -> Pose:
        if self.eye is None or self.target is None:
            return Pose.from_rpy(self.position or (), [radians(a) for a in self.rpy_deg or ()])
        # Straight down, z cannot serve as the up direction. The top of the image is then the world's +x.
        straight = abs(self.eye[0] - self.target[0]) + abs(self.eye[1] - self.target[1]) < 1e-6
        return Pose.look_at(self.eye, self.target, up=(1.0, 0.0, 0.0) if straight else (0.0, 0.0, 1.0))


def robots() -> tuple[str, ...]:
    """Return the names of all profiles."""
    return tuple(sorted(_files().values))


def robot(name: str) -> RobotProfile:
    """Return the profile of that name.

    Raises:
        ConfigError: there is no such profile, or its file is wrong.
    """
    files = _files().values
    if name not in files:
        raise ConfigError(f'There is no robot called {name!r}. {near(name, files)}{_besides()}')
    return _read(files[name])


def sound() -> dict[str, RobotProfile]:
    """Return all profiles that can be read, by name; the file of an extension's may be wrong."""
    found = dict[str, RobotProfile]()
    for name in robots():
        with suppress(ConfigError):
            found[name] = robot(name)
    return found


def check(robot_name: str, *camera_names: str) -> None:
    """Check that there is a robot with that name, and that there are all of these cameras, sets or some of a set.

    Raises:
        ConfigError: there is not, or its file is wrong.
    """
    robot(robot_name)
    for names in camera_names:
        cameras(names, robot=robot_name)


def owners(robots: Iterable[str], cameras: Iterable[str]) -> tuple[Extension, ...]:
    """Return the extensions that bring robots and camera sets; none if all are ours."""
    files, sets = _files().owners, _sets().owners
    brought = (*(files.get(name) for name in robots), *(sets.get(name.partition(':')[0]) for name in cameras))
    return tuple(one for one in brought if one is not None)


def problems() -> tuple[str, ...]:
    """Return why robots or cameras of extensions are left out or cannot be used, each a sentence."""
    unusable: list[str] = []
    for name in _files().owners:
        try:
            _read(_files().values[name])
        except ConfigError as error:
            unusable.append(str(error))
    for name in _sets().owners:
        try:
            _described(name, tuple(_sets().values[name]))
        except ConfigError as error:
            unusable.append(str(error))
    return (*_files().problems, *_sets().problems, *unusable)


def _besides() -> str:
    return besides((*found().problems, *problems()))


def _files() -> Joined[Path]:
    def in_folder(folder: Path) -> dict[str, Path]:
        return {path.stem: path for path in sorted((folder / CONFIG / 'robots').glob('*.yaml')) if not path.name.startswith('.')}

    return joined('robot', in_folder(share()), lambda one: in_folder(one.folder))


def _sets() -> Joined[Any]:
    def of(one: Extension) -> dict[str, Any]:
        file = _cameras_of(one.folder)
        return table(file, levels=3) if file.is_file() else {}

    return joined('camera set', table(config('cameras.yaml'), levels=3), of, reserved=[NO_CAMERAS])


def _cameras_of(folder: Path) -> Path:
    return folder / CONFIG / 'cameras.yaml'


@cache
def _read(file: Path) -> RobotProfile:
    data = checked(_Robot, table(file), str(file))
    own = data.model_dump()
    urdf = file.with_name(data.urdf)
    if not urdf.is_file():
        raise ConfigError(f'{file} is wrong: there is no {data.urdf} beside it.')
    try:
        own['urdf'] = resolve_packages(urdf.read_text(encoding='utf-8'))
        own['limits'] = _limits(own['urdf'], data)
    except (OSError, ValueError, ElementTree.ParseError) as error:  # a text that is no UTF-8 is a ValueError
        raise ConfigError(f'{urdf} is wrong: {error}. Correct it.') from error
    own['tool'] = Pose.from_rpy(data.tool.position, data.tool.rpy)
    made = {'parallel': ParallelProfile, 'suction': SuctionProfile}[own['gripper'].pop('kind')]
    own['gripper'] = made(**own['gripper'])
    return RobotProfile(name=file.stem, **own)


_profile = robot


def camera_sets() -> dict[str, tuple[str, ...]]:
    """Return the names of all cameras by camera set, including those used for prompts."""
    return {name: tuple(cameras) for name, cameras in _sets().values.items()}


def cameras(names: str = 'vlmbench', width: int = 256, height: int = 256, *, robot: str = 'panda') -> tuple[Camera, ...]:
    """Return the cameras of a set. Cameras used for prompts are included only if they are named.

    Args:
        names: a set ('vlmbench'), some of its cameras ('vlmbench:front,wrist'), or 'none'.
        width: image width, pixels.
        height: image height, pixels.
        robot: name of the profile whose tool carries the wrist cameras.

    Raises:
        ConfigError: there is no such set, camera or robot.
    """
    if names in ('', NO_CAMERAS):
        return ()
    known = _sets()
    group, _, chosen = names.partition(':')
    if group not in known.values:
        raise ConfigError(f'There is no camera set called {group!r}. {near(group, known.values)}{_besides()}')
    ours = known.values[group]
    wanted = tuple(name.strip() for name in chosen.split(',')) if chosen else tuple(ours)
    unknown = [c for c in wanted if c not in ours]
    if unknown:
        raise ConfigError(f'The set {group!r} holds no camera called {unknown[0]!r}. {near(unknown[0], ours)}')
    if twice := [c for i, c in enumerate(wanted) if c in wanted[:i]]:
        raise ConfigError(f'The camera {twice[0]!r} is named twice in {names!r}. Name each once.')
    made = _described(group, wanted)
    return tuple(given.camera(c, (width, height), robot) for c, given in made.items() if chosen or not given.prompt)


def _described(group: str, wanted: tuple[str, ...]) -> dict[str, _Camera]:
    """Return what the file says of some cameras of a set, by name.

    Raises:
        ConfigError: one is wrong, or cannot be called so.
    """
    known = _sets()
    file = _cameras_of(known.owners[group].folder) if group in known.owners else Path(CONFIG, 'cameras.yaml')
    if odd := [name for name in wanted if not named_well(name)]:
        raise ConfigError(f'{file}: {group} is wrong: a camera is called by letters, digits and _; found {quoted(odd[0])}. Rename it.')
    return {name: checked(_Camera, known.values[group][name], f'{file}: {group}.{name}') for name in wanted}


def _limits(urdf: str, of: _Robot) -> tuple[tuple[float, float], ...]:
    limits = {joint.get('name'): joint.find('limit') for joint in ElementTree.fromstring(urdf).iter('joint')}
    found = [limits.get(name) for name in of.joints]
    bounds = [limit is not None and {'lower', 'upper'} <= set(limit.attrib) for limit in found]
    if missing := [name for name, bounded in zip(of.joints, bounds, strict=True) if not bounded]:
        raise ConfigError(
            f'{of.urdf} gives no limits for the joint {missing[0]!r}. Add lower and upper, or correct the name in the profile.'
        )
    return tuple((float(limit.attrib['lower']), float(limit.attrib['upper'])) for limit in found if limit is not None)
