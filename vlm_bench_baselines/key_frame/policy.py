"""The key-frame policy as a `Policy`: it looks from home, carries one thing, and looks again."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from vlm_bench_baselines.key_frame.reading import Reader, Reading
from vlm_bench_baselines.key_frame.rehearsals import GIVEN, Rehearsals
from vlm_bench_baselines.key_frame.settings import BLANKS
from vlm_bench_sim.core.command import Chunk, Command, Point, Stop, ToolPose
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.fusion import PosedPicture, TopDown, top_down
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_tasks.policy import EpisodeContext, Observation, Policy

ABOVE = 0.10
"""From how far before a target the tool comes straight to it, and how far it goes back, m."""

_BACK = Pose((0.0, 0.0, -ABOVE))

CARRIES = 2
"""Things that the policy carries at most in an episode."""

_AT_HOME = 0.05  # rad: an arm whose joints are all so near to home is there
_HASTE, _SPEED = 0.5, 0.5  # s that every way home takes at least, and the share of the velocity limits


class KeyFramePolicy(Policy):
    """Looks at the scene from above, takes a thing, and lets it go elsewhere, until the episode ends.

    Args:
        checkpoint: file of the weights.
        carries: a number: after how many carries to stop.
        blank: words or map: what the network does not get to see, for ablations.
        given: position or orientation: what it is told right, for ablations; an aid.
        rehearsals: folder of maps of the expert in the very episodes, for `given`.
        clip: folder of the CLIP with which the weights were trained, if they were.

    Raises:
        ConfigError: the file holds no such weights, or an argument is invalid.
    """

    def __init__(
        self, checkpoint: str, *, carries: str = str(CARRIES), blank: str = '', given: str = '', rehearsals: str = '', clip: str = ''
    ) -> None:
        if not carries.isdecimal() or not 1 <= int(carries) <= 100:
            raise ConfigError(f'carries is a number from 1 to 100; found {carries!r:.40}.')
        if blank not in BLANKS:
            raise ConfigError(f'blank is words or map; found {blank!r:.40}.')
        if given not in GIVEN or bool(given) != bool(rehearsals):
            raise ConfigError(
                f'given is position or orientation, and comes with rehearsals=FOLDER; found {given!r:.40} and {rehearsals!r:.80}.'
            )
        torch.set_num_threads(1)  # evaluate plays in one process for each core
        self._reader, self._carries, self._blank = Reader(Path(checkpoint), Path(clip) if clip else None), int(carries), blank
        if (unseen := self._reader.blank) and blank != unseen:
            raise ConfigError(f'These weights were trained without {"the map" if unseen == "map" else unseen}. Add blank={unseen}.')
        self._given, self._rehearsals = given, Rehearsals(Path(rehearsals)) if rehearsals else None
        self._moves: Iterator[Command] = iter(())

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode."""
        self._context = context
        self._moves = self._play()
        self.reading: Reading | None = None

    def act(self, observation: Observation) -> Command:
        """Return the next move of a carry; after it, look again and plan another one."""
        self._now = observation
        return next(self._moves, Stop())

    def _play(self) -> Iterator[Command]:
        for _ in range(self._carries):
            yield from self._go_home()
            self.reading = self._read()
            yield from self._carry(self.reading, self._now.tool)

    def _go_home(self) -> Iterator[Command]:
        """Yield the moves that bring the arm home, from where it sees best and the training maps were seen; none if it is there."""
        profile = self._context.profile
        away = np.abs(self._now.arm(profile.joints) - profile.home)
        if away.max() > _AT_HOME:
            yield ToolPose(self._now.tool.shifted((0.0, 0.0, ABOVE)), straight=True)
            away = np.abs(self._now.arm(profile.joints) - profile.home)
            seconds = _HASTE + float((away / profile.velocity).max()) / _SPEED
            yield Chunk((Point(round(seconds * 1e9), profile.home),))

    def _read(self) -> Reading:
        seen, sentence = self._map(), self._context.instruction
        reading = self._reader.read(seen, sentence, blank=self._blank)
        return self._rehearsals.corrected(reading, seen, sentence, given=self._given) if self._rehearsals else reading

    def _carry(self, reading: Reading, home: Pose) -> Iterator[Command]:
        gripper = self._context.profile.gripper
        pick, place = reading.pick.pose(home), reading.place.pose(home)
        yield gripper.open()
        yield ToolPose(pick @ _BACK)
        yield ToolPose(pick @ Pose((0.0, 0.0, gripper.press)), straight=True)
        yield gripper.close()
        holds = self._now.outcome.stalled
        yield ToolPose(pick.shifted((0.0, 0.0, ABOVE)), straight=True)
        if not holds:
            return
        yield ToolPose(place @ _BACK)
        yield ToolPose(place, straight=True)
        yield gripper.release(self._now.opening)
        yield ToolPose(place @ _BACK, straight=True)

    def _map(self) -> TopDown:
        """Return the map of the newest pictures.

        Raises:
            ConfigError: there are none.
        """
        pictures, poses, cameras = self._now.pictures, self._now.camera_poses, self._context.cameras
        if not pictures:
            card = self._reader.card
            raise ConfigError(f'This policy looks with cameras: --cameras {card.cameras} --size {card.width}x{card.height}.')
        views = [PosedPicture(picture, cameras[name], poses[name]) for name, picture in pictures.items() if name in poses]
        return top_down(views, self._reader.card.plot)
