"""What a page may ask: JSON with bounds on everything. Answers are JSON, or for pictures the request's id as 4 bytes and a file."""

import json
from collections.abc import Mapping
from struct import pack
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.operator import MOST_LETTERS, Device
from vlm_bench_tasks.dashboard.asking import Judge, Number, Request, Word
from vlm_bench_tasks.dashboard.orbit import Metres, Orbit
from vlm_bench_tasks.variation.streams import LAST_SEED

MOST_BYTES = 1 << 16
"""Of a message of a page."""

Side = Annotated[int, Field(ge=16, le=1024)]


class Hello(Request):
    """What this window can show."""

    do: Literal['hello']


class List(Request):
    """Rows of the list of episodes, from `since` on."""

    do: Literal['list']
    since: Number = 0


class Open(Request):
    """The timeline of an episode."""

    do: Literal['open']
    episode: Number


class Draw(Request):
    """A picture of an episode.

    Attributes:
        episode: its number in the list.
        seq: control period; after the last one, the last one.
        camera: a camera of a set, such as vlmbench:front; '': the free view.
        orbit: where the free view stands.
        panel: which of the two places on the page it is for; each keeps its own renderer.
        width, height: pixels.
        samples: color samples along each side of a pixel.
    """

    do: Literal['draw']
    episode: Number
    seq: Number
    camera: Annotated[str, Field(max_length=100)] = ''
    orbit: Orbit = Orbit()
    panel: Literal[0, 1] = 0
    width: Side
    height: Side
    samples: Literal[1, 3] = 1


class Prompt(Request):
    """A picture of an episode's instruction, counted from 1."""

    do: Literal['prompt']
    episode: Number
    number: Annotated[int, Field(ge=1, le=100)]


class Watch(Request):
    """Everything but pictures of a running bench, once something is newer than `since`, or after a while."""

    do: Literal['watch']
    since: Number = 0


class See(Request):
    """The newest picture of a running bench, once there is another than the `since`-th, or after a while an answer that there is none.

    Attributes:
        since: number of the picture that the page has; 0: none, or one of another view.
        camera: of the policy; '': the free view.
        orbit: where the free view stands.
        width, height: of the free view, pixels.
        samples: color samples along each side of a pixel of the free view.
    """

    do: Literal['see']
    since: Number = 0
    camera: Annotated[str, Field(max_length=100)] = ''
    orbit: Orbit = Orbit()
    width: Side = 480
    height: Side = 360
    samples: Literal[1, 3] = 1


class Image(Request):
    """A picture of the instruction of a running episode, counted from 1."""

    do: Literal['image']
    number: Annotated[int, Field(ge=1, le=100)]


class Begin(Request):
    """Begin an episode; one that runs ends as a failure. Empty words: as the bench was started.

    Another robot, or other cameras, are had by a bench that is started again.
    """

    do: Literal['begin']
    task: Word
    split: Word = ''
    axis: Word = ''
    prompt: Word = ''
    perturb: Word = ''
    robot: Word = ''
    cameras: Word = ''
    seed: Annotated[int, Field(ge=0, le=LAST_SEED)] = 0


class Halt(Request):
    """End the running episode: the policy is done, and the goal is watched for a while longer."""

    do: Literal['halt']


class Aim(Request):
    """The place on the table, or on a thing, that a pixel of the free view shows.

    Attributes:
        x, y: of the pixel's centre, as shares of the width and the height.
    """

    do: Literal['aim']
    orbit: Orbit = Orbit()
    width: Side = 480
    height: Side = 360
    x: Annotated[float, Field(ge=0.0, le=1.0)]
    y: Annotated[float, Field(ge=0.0, le=1.0)]


Share = Annotated[float, Field(ge=-1.0, le=1.0)]
Shares = tuple[Share, Share, Share]
Quaternion = tuple[Share, Share, Share, Share]


class Take(Request):
    """Drive from this page, until it lets go."""

    do: Literal['take']
    operator: Annotated[str, Field(max_length=MOST_LETTERS)] = ''


class Leave(Request):
    """Let go of the arm."""

    do: Literal['leave']


class Alive(Request):
    """The page is seen by the person who drives."""

    do: Literal['alive']


class Hold(Request):
    """Stop what goes on."""

    do: Literal['hold']


class _Act(Request):
    by: Device = 'keyboard'


class Move(_Act):
    """Move the tool for one control period; zeros let time pass.

    Attributes:
        linear: shares of the fastest speed along the axes of the world.
        angular: shares of the fastest turn about them.
        fine: slowly.
    """

    do: Literal['move']
    linear: Shares = (0.0, 0.0, 0.0)
    angular: Shares = (0.0, 0.0, 0.0)
    fine: bool = False


class Reach(_Act):
    """Move the tool for one control period towards a pose in the world (m; xyzw)."""

    do: Literal['reach']
    position: tuple[Metres, Metres, Metres]
    orientation: Quaternion
    fine: bool = False


class Go(_Act):
    """Move the tool to a pose in the world, on a path around what stands there; the page must say that it is alive meanwhile."""

    do: Literal['go']
    position: tuple[Metres, Metres, Metres]
    orientation: Quaternion


class Grasp(_Act):
    """Close the hand, or open it."""

    do: Literal['grasp']
    closed: bool


class ListMissions(Request):
    """The missions, and how far they have come."""

    do: Literal['missions']


class BeginMission(Request):
    """Begin an episode of a mission; '': of the next that waits. The page must drive."""

    do: Literal['mission']
    name: Word = ''


class Discard(Request):
    """End the episode if it runs, and put its bag away; an attempt at a mission does not count."""

    do: Literal['discard']


Errand = ListMissions | BeginMission | Discard
Drive = Take | Leave | Alive | Hold | Move | Reach | Go | Grasp
Ask = Hello | List | Open | Draw | Prompt | Watch | See | Image | Begin | Halt | Aim | Errand | Drive | Judge
_ASK: TypeAdapter[Ask] = TypeAdapter(Annotated[Ask, Field(discriminator='do')])


def told_pose(tool: tuple[int, Pose] | None) -> dict[str, Any] | None:
    """Return a pose with its stamp as JSON types; the quaternion is xyzw."""
    return None if tool is None else {'position': list(tool[1].position), 'orientation': list(tool[1].orientation)}


def read(message: str | bytes) -> Ask:
    """Return what a page asks.

    Raises:
        CommandError: it asks for nothing that is known, or beyond its bounds.
    """
    if not isinstance(message, str):
        raise CommandError('A message of the page is JSON; bytes came. Reload the page.')
    try:
        return _ASK.validate_json(message)
    except ValidationError as error:
        raise CommandError(f'The page asked for what is not known: {fault(error)}. Reload the page.') from error


def fault(error: ValidationError) -> str:
    """Return what is wrong first, and where; not what was found, which may be huge."""
    first = error.errors(include_input=False, include_url=False)[0]
    return f'{first["msg"]:.200} (at {".".join(map(str, first["loc"])) or "the top"})'


def answered(number: int, answer: Mapping[str, Any] | bytes) -> str | bytes:
    """Return the message that answers a request."""
    if isinstance(answer, bytes):
        return pack('<I', number) + answer
    return json.dumps({'id': number, 'ok': answer}, allow_nan=False)


def refused(number: int, error: object) -> str:
    """Return the message that says why a request is not answered; 0: of no request."""
    return json.dumps({'id': number, 'error': str(error)})
