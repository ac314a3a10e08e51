"""The PerAct-like policy as a `Policy`: it looks, moves to the next key frame, opens or closes the hand, and looks again."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from vlm_bench_baselines import checkpoint
from vlm_bench_baselines.demonstrations import Target
from vlm_bench_baselines.key_frame.batches import yaw_of
from vlm_bench_baselines.per_act.card import PerActCard
from vlm_bench_baselines.per_act.inputs import given, hottest
from vlm_bench_baselines.per_act.network import Network
from vlm_bench_baselines.words import Vocabulary, said
from vlm_bench_sim.core.command import Command, Stop, ToolPose
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.fusion import PosedPicture
from vlm_bench_sim.core.voxels import voxels
from vlm_bench_tasks.policy import EpisodeContext, Observation, Policy

FRAMES = 20
"""Key frames that it moves to at most in an episode."""

STRAIGHT = 0.15
"""From how near a target the tool moves straight to it, m."""

_GRID = 6  # decimal places of logits: sums of another processor differ by 1e-12


class PerActPolicy(Policy):
    """Moves from key frame to key frame, where voxels, hand and words tell it.

    Args:
        checkpoint: file of the weights.
        frames: a number: key frames after which it stops.
        device: where to compute, such as cuda. Only on a cpu, in 64 bits, are answers the same on every machine.

    Raises:
        ConfigError: the file holds no such weights, or an argument is invalid.
    """

    def __init__(self, checkpoint: str, *, frames: str = str(FRAMES), device: str = 'cpu') -> None:
        if not frames.isdecimal() or not 1 <= int(frames) <= 1000:
            raise ConfigError(f'frames is a number from 1 to 1000; found {frames!r:.40}.')
        torch.set_num_threads(1)  # evaluate plays in one process for each core
        self._frames, self._device = int(frames), device
        self._load(Path(checkpoint))

    def _load(self, path: Path) -> None:
        weights, self.card = checkpoint.load(path, PerActCard)
        self._vocabulary = Vocabulary(self.card.words)
        with torch.device('meta'):
            self._network = Network(self.card.network, self._vocabulary.size, cells=self.card.cells)
        checkpoint.fill(self._network, weights, path)
        try:
            self._network.to(self._device, torch.float64 if self._device == 'cpu' else torch.float32).eval()
        except (RuntimeError, AssertionError) as error:
            raise ConfigError(
                f'PyTorch cannot compute on {self._device!r:.40} here: {error!s:.200}. Choose device=cpu, or cuda.'
            ) from error

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode."""
        self._context, self._closed = context, False
        self._moves: Iterator[Command] = self._play()

    def act(self, observation: Observation) -> Command:
        """Return the next move; after the hand's, look again."""
        self._now = observation
        return next(self._moves, Stop())

    def _play(self) -> Iterator[Command]:
        gripper = self._context.profile.gripper
        for _ in range(self._frames):
            target, closes = self._read()
            pose = target.pose(self._now.tool)
            near = np.linalg.norm(np.subtract(pose.position, self._now.tool.position)) <= STRAIGHT
            yield ToolPose(pose, straight=bool(near))
            if closes != self._closed:
                yield gripper.close() if closes else gripper.open()
                self._closed = closes

    @torch.no_grad()
    def _read(self) -> tuple[Target, bool]:
        """Return where the tool goes next, and whether the hand is closed there.

        Raises:
            ConfigError: there are no pictures.
        """
        now, card = self._now, self.card
        if not now.pictures:
            raise ConfigError(f'This policy looks with cameras: --cameras {card.cameras} --size {card.width}x{card.height}.')
        cameras = self._context.cameras
        views = [PosedPicture(picture, cameras[name], now.camera_poses[name]) for name, picture in now.pictures.items()]
        kind = next(self._network.parameters())
        cubes, hand = (part.to(kind) for part in given([voxels(views, card.grid)], [(self._closed, now.opening)], card.grid))
        answer = self._network(cubes, hand, said([self._context.instruction], self._vocabulary).tokens.to(kind.device))
        cell = hottest(torch.round(answer.heat, decimals=_GRID))
        told = self._network.details(answer, cell)
        off, approach = (np.round(part[0].cpu().numpy().astype(float), _GRID) for part in (told.offset, told.approach))
        x, y, z = (float(v) for v in np.round((cell[0].cpu().numpy() + 0.5 + off) * card.grid.edge + card.grid.low, _GRID))
        yaw = float(yaw_of(torch.round(told.yaw, decimals=_GRID))[0])
        return Target((x, y, z), (float(approach[0]), float(approach[1]), float(approach[2])), yaw), bool(told.closes[0] > 0)
