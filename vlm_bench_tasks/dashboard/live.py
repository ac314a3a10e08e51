"""The newest of a running bench: one thread hears it, another one shows it. Nothing waits, and nothing is kept but the newest."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import isfinite
from threading import Lock
from typing import Any

from vlm_bench_sim.core.codes import EpisodeState, EventKind, Verdict
from vlm_bench_sim.core.errors import CommandError, Unobservable
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Look
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.dashboard.course import Course
from vlm_bench_tasks.dashboard.question import Question
from vlm_bench_tasks.dashboard.timeline import composed
from vlm_bench_tasks.dashboard.wire import told_pose
from vlm_bench_tasks.dataset.known import Known
from vlm_bench_tasks.dataset.reel import Moment
from vlm_bench_tasks.dataset.rendering import Wardrobe
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.judging.report import Event, Report

FREE = ''
"""The free view among the cameras."""

MOST_EVENTS, MOST_TEXT = 5000, 20_000
"""Events of an episode that are kept, and characters of each."""

MOST_EPISODES = 4
"""Episodes that are kept apart: messages of one that is over may come late."""


@dataclass(kw_only=True)
class _Seen:
    """What is known of the episode that runs, or ran last."""

    token: str = ''
    about: dict[str, Any] = field(default_factory=dict)
    images: tuple[bytes, ...] = ()
    course: Course = field(default_factory=Course)
    report: Report = field(default_factory=Report)
    events: list[Event] = field(default_factory=list)
    episode: Episode | None = None
    scene: Scene | None = None
    known: Known = field(default_factory=Known)
    wardrobe: Wardrobe | None = None
    looks: Mapping[str, Look] = field(default_factory=dict)
    moment: Moment | None = None


class Live:
    """What a bench says, as it says it. All methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._episodes: OrderedDict[str, _Seen] = OrderedDict()
        self._token = ''
        self._version, self._state, self._left, self._lag = 0, EpisodeState.IDLE, 0.0, 0.0
        self._tool: tuple[int, Pose] | None = None
        self._servo, self._opening = 0, 1.0
        self._pictures: dict[str, bytes] = {}
        self._shown: dict[str, int] = {}
        self._question: tuple[int, Question] | None = None  # and the version in which it came

    @property
    def tool(self) -> tuple[int, Pose] | None:
        """The newest pose of the tool centre point in the world and its stamp, ns; None if nobody has said it."""
        return self._tool

    @property
    def servo(self) -> int:
        """How the last twist was followed, as MoveIt Servo numbers it; 0: as requested."""
        return self._servo

    @property
    def running(self) -> bool:
        """Whether an episode runs."""
        return self._state is EpisodeState.RUNNING

    @property
    def verdict(self) -> Verdict:
        """Of the episode that runs, or ran last."""
        return self._seen.report.verdict

    @property
    def token(self) -> str:
        """Of the episode that runs, or ran last."""
        return self._token

    @property
    def seq(self) -> int:
        """Its newest control period; 0 if the bench is scored."""
        return 0 if (found := self.moment()) is None else found[0].state.seq

    @property
    def whole(self) -> bool:
        """Whether the newest state tells everything that lies there."""
        seen = self._seen
        return seen.moment is not None and seen.moment.scene is seen.scene

    @property
    def robot(self) -> str:
        """Name of its robot; '' if nobody has said it."""
        return str(self._seen.about.get('robot', ''))

    @property
    def version(self) -> int:
        """A number that rises with each message."""
        return self._version

    @property
    def question(self) -> Question | None:
        """What the bench asks a person; None if it asks nothing."""
        return None if self._question is None else self._question[1]

    def shown(self, camera: str) -> int:
        """Return a number that rises with each picture of a camera, or of the free view (`FREE`); 0 if there is none."""
        return 0 if camera == FREE and self.moment() is None else self._shown.get(camera, 0)

    def episode(self, token: str, about: Mapping[str, str]) -> None:
        """Another episode: its public part."""
        with self._changed():
            self._announced(token).about |= about

    def truth(self, token: str, episode: Episode, *, seed: int) -> None:
        """The whole of an episode, from a bench that is not scored."""
        with self._changed():
            seen = self._announced(token)
            seen.episode, seen.scene, seen.wardrobe = episode, seen.scene or episode.scene, Wardrobe(episode)
            seen.about |= {'seed': str(seed)}

    def instruction(self, token: str, text: str, images: tuple[bytes, ...]) -> None:
        """What the policy is asked; pictures as png files."""
        with self._changed():
            seen = self._for(token)
            seen.about |= {'instruction': text, 'pictures': len(images)}
            seen.images = images

    def status(self, token: str, state: EpisodeState, left: float) -> None:
        """The state of the episode, and the simulated time that is left, s."""
        _check(left)
        with self._changed():
            self._state, self._left = state, left
            if token:
                self._announced(token)

    def report(self, token: str, report: Report) -> None:
        """The report so far, or the final one."""
        _check(report.progress, report.reward, report.score, report.sim_seconds)
        with self._changed():
            seen = self._for(token)
            if report.verdict is Verdict.RUNNING is not seen.report.verdict:
                return  # it comes on another topic, and so may come after the final one
            seen.report = report
            seen.course.judged(report)

    def event(self, token: str, event: Event) -> None:
        """An event."""
        with self._changed():
            seen = self._for(token)
            if len(seen.events) < MOST_EVENTS and event.kind is not EventKind.OPERATED:
                seen.events.append(replace(event, text=event.text[:MOST_TEXT]))

    def laid(self, token: str, scene: Scene) -> None:
        """The scene that lies on the table; it is told before its episode is announced, and again when things are added."""
        with self._changed():
            self._announced(token).scene = scene

    def moved(self, token: str, state: Snapshot) -> None:
        """The state of a control period."""
        with self._changed():
            seen = self._for(token)
            if seen.moment is not None and state.seq <= seen.moment.state.seq:
                return  # said again for who comes late
            if changed := _changed_looks(seen.wardrobe, state):
                seen.looks = {**seen.looks, **changed}
            seen.course.moved(state)
            if seen.scene is not None:
                seen.moment = Moment(state, seen.known.of(seen.scene, state), seen.looks)
                self._shown[FREE] = self._shown.get(FREE, 0) + 1

    def picture(self, camera: str, jpeg: bytes) -> None:
        """The newest picture of a camera, as a jpeg file."""
        with self._changed(told=camera not in self._pictures):
            self._pictures[camera] = jpeg
            self._shown[camera] = self._shown.get(camera, 0) + 1

    def tool_at(self, stamp_ns: int, tool: Pose) -> None:
        """Where the tool centre point is in the world."""
        with self._changed(told=self._tool is None):
            self._tool = stamp_ns, tool

    def hand_at(self, opening: float) -> None:
        """How far the hand is open, as a share of the farthest; cups that hold something are closed."""
        _check(opening)
        with self._changed(told=False):
            self._opening = opening

    def followed(self, servo: int) -> None:
        """How a twist was followed, as MoveIt Servo numbers it."""
        self._servo = servo

    def asked(self, question: Question) -> None:
        """The bench asks a person, or shows another picture of what it asks."""
        with self._changed():
            self._question = self._version + 1, question

    def withdrawn(self, question: str) -> None:
        """The bench does not need the answer to a question any more, by its id."""
        with self._changed():
            if self._question is not None and self._question[1].id == question:
                self._question = None

    def lag(self, seconds: float) -> None:
        """How far simulated time is behind the wall clock."""
        _check(seconds)
        with self._changed(told=False):
            self._lag = seconds

    def forget(self, camera: str) -> None:
        """Nobody publishes a camera any more."""
        with self._changed():
            self._pictures.pop(camera, None)
            self._shown.pop(camera, None)

    def told(self) -> dict[str, Any]:
        """Return everything but pictures as JSON types."""
        with self._lock:
            seen = self._seen
            return {
                'version': self._version, 'state': self._state.name.lower(), 'left': self._left, 'lag': self._lag, 'token': seen.token,
                'cameras': sorted(self._pictures), 'free': bool(seen.moment and self.robot),
                'tool': told_pose(self._tool), 'opening': self._opening,
                'assistance': ', '.join(seen.report.assistance), 'question': self._told_question(), **seen.about,
                **composed(seen.course, seen.events, seen.report, scene=seen.scene),
            }  # fmt: skip

    def _told_question(self) -> dict[str, Any] | None:
        return None if self._question is None else self._question[1].told(self._question[0])

    def seen_by(self, camera: str) -> bytes | None:
        """Return the newest picture of a camera; None if there is none."""
        with self._lock:
            return self._pictures.get(camera)

    def moment(self) -> tuple[Moment, str] | None:
        """Return the newest moment and the name of the robot; None if the bench is scored or has said nothing yet."""
        with self._lock:
            moment = self._seen.moment
            return (moment, self.robot) if moment is not None and self.robot else None

    def image(self, number: int) -> bytes | None:
        """Return a picture of the instruction, counted from 1; None if there is none."""
        with self._lock:
            return self._seen.images[number - 1] if 1 <= number <= len(self._seen.images) else None

    @contextmanager
    def _changed(self, *, told: bool = True) -> Iterator[None]:
        """Change something; `told`: which a page shows beside pictures, and wants to know at once."""
        with self._lock:
            yield
            self._version += told

    def _for(self, token: str) -> _Seen:
        """Return what is known of an episode: latched messages of the last one may come after those of the next."""
        seen = self._episodes.setdefault(token, _Seen(token=token))
        while len(self._episodes) > MOST_EPISODES:
            self._episodes.pop(next(other for other in self._episodes if other not in (token, self._token)))
        return seen

    def _announced(self, token: str) -> _Seen:
        """Return what is known of an episode, and show that one from now on."""
        self._token = token
        return self._for(token)

    @property
    def _seen(self) -> _Seen:
        return self._episodes.get(self._token) or _Seen()


def _check(*numbers: float) -> None:
    """Refuse what no page can show.

    Raises:
        CommandError: a number is not finite.
    """
    if not all(map(isfinite, numbers)):
        raise CommandError(f'Finite numbers were expected; found {numbers}. Which node says so?')


def _changed_looks(wardrobe: Wardrobe | None, state: Snapshot) -> dict[str, Look]:
    try:
        return {} if wardrobe is None else wardrobe.see(state)
    except Unobservable:  # the judge says so
        return {}
