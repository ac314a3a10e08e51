"""A task as a Gymnasium environment: an in-process world, one control period per step, judged as everywhere else."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from types import MappingProxyType
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from vlm_bench_sim import profiles
from vlm_bench_sim.core.camera import Picture
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.errors import SeedError, WorldError, near
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.actions import Decoder, action_space
from vlm_bench_tasks.actions.spaces import DEFAULT, REACH, pose_numbers
from vlm_bench_tasks.dataset.exports.numbers import state_numbers
from vlm_bench_tasks.environment.words import Words
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.execution import Execution
from vlm_bench_tasks.play import Play
from vlm_bench_tasks.run import Bench
from vlm_bench_tasks.variation.seeds import purpose
from vlm_bench_tasks.variation.streams import PUBLIC

Observation = dict[str, Any]
Action = npt.NDArray[Any]
OPTIONS = ('split', 'axis', 'perturb', 'purpose')
"""Options of `reset`: split of the pools, axis of variation, perturbations as for --perturb, and purpose of the seed."""

_LIMITS = ('time_limit', 'step_limit')
_SLACK = 0.5  # rad by which a measurement may exceed a joint limit


@dataclass(frozen=True)
class Laid:
    """A loaded episode, and the object that executes actions in it."""

    episode: Episode
    play: Play
    execution: Execution
    decoder: Decoder


class BenchEnv(gymnasium.Env[Observation, Action]):
    """One task. Created by `gymnasium.make('vlm_bench/vlmbench-pick_place-v0', …)` with these arguments.

    Args:
        task: id of the task.
        action: name of the action space.
        robot: name of the robot profile; '' for the task's own.
        cameras: a camera set, or cameras of it, as for --cameras; 'none' for none; '' for those of the task's family.
        size: (width, height) of the pictures, pixels.
        split: split of the asset pools; '' for the family's first.
        render_mode: 'rgb_array' makes `render` return the first camera's picture.

    Attributes:
        task: id of the task.
        task_description: the instruction of this episode.
        profile: the robot.

    Raises:
        VlmBenchError: the task, action space, robot, camera or split does not exist.
    """

    metadata: dict[str, Any] = {'render_modes': ['rgb_array'], 'render_fps': CONTROL_HZ}  # noqa: RUF012  (as gymnasium declares it)

    _prompt = ''  # how the policy is asked; '': the first way of the task
    _reset_options: Mapping[str, Any] = MappingProxyType({})  # those of a reset that names no others

    def __init__(
        self,
        task: str,
        *,
        action: str = DEFAULT,
        robot: str = '',
        cameras: str = '',
        size: tuple[int, int] = (256, 256),
        split: str = '',
        render_mode: str | None = None,
    ) -> None:
        made, cameras = catalogue.task(task), cameras or catalogue.cameras(task)
        self._prompt = catalogue.check_prompt(made, task, self._prompt)
        self.task, self.task_description, self.render_mode = task, '', render_mode
        self._split = split or catalogue.splits(task)[0]
        catalogue.seeds(task, self._split)  # raises if the split does not exist
        self._robot, self._cameras, self._size, self._space = robot or made.robot, cameras, size, action_space(action)
        self.profile = profiles.robot(self._robot)
        self._views = profiles.cameras(cameras, *size, robot=self._robot)
        self._max_episode_steps = min(made.step_limit or 2**31, ceil(made.horizon * CONTROL_HZ))
        low, high = self._space.limits(self.profile)
        self.action_space = spaces.Box(low.astype(np.float32), high.astype(np.float32))
        self.observation_space = self._observation_space()
        self._bench: Bench | None = None
        self._laid: Laid | None = None
        self._best = 0.0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Start an episode with the given seed, or else with a random one for training or the given purpose.

        Args:
            seed: seed of the episode, and of the choice of later episodes.
            options: 'split', 'axis' and 'perturb' of this episode, and the 'purpose' of its seed: 'train', 'validate' or 'test'.
                Without a purpose, all seeds except test seeds are allowed. Others, as of rollout loops, are ignored with a warning.

        Raises:
            SeedError: the seed is for another purpose, or is a test seed and the purpose is not given.
            VlmBenchError: the value of an option is invalid.
        """
        super().reset(seed=seed)
        episode = self._episode(seed, {**self._reset_options, **(options or {})})
        bench = self._bench = self._bench or Bench(self._robot, self._cameras, width=self._size[0], height=self._size[1])
        play = Play(bench, episode)
        execution = Execution(play.world, bench.planner, streams=PUBLIC, truth=False)
        decoder = Decoder(self._space, bench.profile, kinematics=bench.kinematics)
        laid = self._laid = Laid(episode, play, execution, decoder)
        self.task_description = episode.instruction.text
        laid.play.begin()
        self._best = laid.play.report.reward
        return self._observation(bench, laid), self._info(laid)

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Apply an action for one control period of 0.05 s.

        The reward is by how much the goal's dense reward exceeds its highest value so far in this episode, 0…1. Their sum is at most 1:
        who waits near the goal, or does and undoes something, gains nothing more.

        Raises:
            CommandError: the action has the wrong shape, or holds a value that is not finite.
            WorldError: no episode is running.
        """
        bench, laid = self._laid_out()
        if laid.play.over:
            raise WorldError('The episode is over. Call reset() to begin another.')
        laid.execution.begin(laid.decoder.command(action, laid.play.world.snapshot))
        laid.play.step()
        report = laid.play.report
        gain, self._best = max(0.0, report.reward - self._best), max(self._best, report.reward)
        cut_short = report.verdict is Verdict.UNOBSERVABLE or any(cause in _LIMITS for cause in report.causes[:1])
        decided = report.verdict is not Verdict.RUNNING and not cut_short
        return self._observation(bench, laid), gain, decided, cut_short, self._info(laid)

    def render(self) -> npt.NDArray[np.uint8] | None:
        """Return the picture of the first camera.

        Raises:
            WorldError: there are no cameras, or no episode has been started.
        """
        return None if self.render_mode is None else self.picture()

    def picture(self) -> npt.NDArray[np.uint8]:
        """Return the picture of the first camera, whatever the render mode.

        Raises:
            WorldError: there are no cameras, or no episode has been started.
        """
        bench, laid = self._laid_out()
        if not bench.cameras:
            raise WorldError('This environment was made without cameras. Name one, such as cameras="vlmbench:front".')
        return bench.picture(bench.cameras[0], laid.play.world.snapshot).color

    def close(self) -> None:
        """Release world and renderer; may be called twice."""
        if self._bench is not None:
            self._bench.close()
        self._bench = self._laid = None

    @property
    def cameras(self) -> tuple[str, ...]:
        """The names of the cameras."""
        return tuple(view.name for view in self._views)

    def _laid_out(self) -> tuple[Bench, Laid]:
        if self._bench is None or self._laid is None:
            raise WorldError('No episode has begun. Call reset() first.')
        return self._bench, self._laid

    def _episode(self, seed: int | None, options: Mapping[str, Any]) -> Episode:
        for unknown in sorted(set(options) - set(OPTIONS), key=str):
            gymnasium.logger.warn(f'reset() takes no option {unknown!r} and ignores it. {near(str(unknown), OPTIONS)}')
        split = options.get('split') or self._split
        chosen = self._drawn(split, options.get('purpose') or 'train') if seed is None else _checked(seed, options.get('purpose'))
        built = catalogue.build(self.task, split, chosen, options.get('axis', ''), self._prompt)
        return catalogue.perturbed(built, catalogue.perturbation(options.get('perturb') or ()))

    def _drawn(self, split: str, purpose: str) -> int:
        """Draw a random seed of a split for a purpose."""
        found = catalogue.seeds_for(self.task, split, purpose)
        if not found:
            raise SeedError(
                f'{self.task} has no seeds for the purpose {purpose} in the split {split!r}. Name another split, or another purpose.'
            )
        return int(self.np_random.integers(found.start, found.stop))

    def _observation_space(self) -> spaces.Dict:
        low, high = (np.array(ends) for ends in zip(*self.profile.limits, strict=True))
        ends = np.array([*low - _SLACK, -1.0], np.float32), np.array([*high + _SLACK, 2.0], np.float32)
        tool = np.array([2 * REACH] * 3 + [1.01] * 4, np.float32)
        seen: dict[str, spaces.Space[Any]] = {
            'agent_pos': spaces.Box(*ends),
            'tool_pose': spaces.Box(-tool, tool),
            'instruction': Words(),
        }
        pixels = {camera.name: spaces.Box(0, 255, (camera.height, camera.width, 3), np.uint8) for camera in self._views}
        return spaces.Dict(seen | ({'pixels': spaces.Dict(dict[str, spaces.Space[Any]](pixels))} if pixels else {}))

    def _observation(self, bench: Bench, laid: Laid) -> Observation:
        now = laid.play.world.snapshot
        seen: Observation = {
            'agent_pos': np.array(state_numbers(self.profile, now), np.float32),
            'tool_pose': np.array(pose_numbers(now.tool), np.float32),
            'instruction': self.task_description,
        }
        return seen | self._seen(bench, laid, bench.pictures(now))

    def _seen(self, bench: Bench, laid: Laid, pictures: Mapping[str, Picture]) -> Observation:
        """Return the observation with the pictures of this control period."""
        return {'pixels': {name: picture.color for name, picture in pictures.items()}} if pictures else {}

    def _info(self, laid: Laid) -> dict[str, Any]:
        report, episode = laid.play.report, laid.episode
        return {
            'is_success': report.verdict is Verdict.SUCCESS, 'task': self.task, 'task_description': self.task_description,
            'split': episode.split, 'axis': episode.axis, 'seed': episode.seed, 'verdict': report.verdict.value,
            'progress': report.progress, 'reward': report.reward, 'cause': '; '.join(report.causes),
        }  # fmt: skip


def _checked(seed: int, asked: str | None) -> int:
    """Return the seed if it is for the given purpose or, without one, not for tests."""
    found = purpose(range(seed, seed + 1))
    if found != (asked or found):
        raise SeedError(f'The seed {seed} is for the purpose {found}, but {asked} was requested. Use another seed, or purpose {found!r}.')
    if found == 'test' and asked is None:
        raise SeedError(
            f"The seed {seed} is a test seed, which training must not use. To test, call reset(…, options={{'purpose': 'test'}})."
        )
    return seed
