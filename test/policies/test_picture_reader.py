"""The pictures of an instruction say what is wanted: a policy that reads nothing else does it, and other pictures mislead it."""

from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np
import pytest

pytest.importorskip('moderngl')

from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.command import Chunk, Point, Stop, ToolPose, Wait
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Seal
from vlm_bench_sim.core.prompts import TEXTURE
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.language.pictures import PICTURES, look_tile, portrait
from vlm_bench_tasks.policy import Played, Policy
from vlm_bench_tasks.run import Bench

WANTED = {'clevrskills/pick': 'item', 'clevrskills/place': 'base'}
"""By task, the blank of what is to be found on the table."""

SEEDS = range(3000, 3050)
DOWN = (1.0, 0.0, 0.0, 0.0)
ASIDE = 2.6  # rad, of the first joint: the arm hides nothing of the table from above
SLOWLY = 2_000_000_000  # ns: what the hand holds shall not slip
LOW, FLAT = 0.004, 0.006  # m: what is higher is no table, and what is so little below the top of a thing belongs to it
LEAST = 25  # pixels of a thing
SPAN = ((0.15, 0.80), (-0.55, 0.55))  # m, of the table that is looked at
MOST = 300


@dataclass(frozen=True)
class Seen:
    """A thing on the table: its colors, the middle of its top, and the point of its top that is farthest from every edge, m."""

    colors: np.ndarray
    top: tuple[float, float, float]
    flat: tuple[float, float, float]


class PictureReader(Policy):
    """Picks up what a picture shows; with `held`, it puts there what the hand holds, which no other thing looks like."""

    def __init__(self, held=False):
        self._held = held

    def reset(self, context):
        self._context, self._left, self._turn = context, [], 0
        self.seen, self.chosen = [], None

    def act(self, observation):
        self._turn += 1
        if self._turn == 1:
            self._height = hung(self._context, observation) if self._held else 0.0
            there = (ASIDE, *observation.arm(self._context.profile.joints)[1:])
            return Chunk((Point(SLOWLY, there, (0.0,) * len(there)),))
        if self._turn == 2:
            self.seen = things(self._context, observation)
            shown = [colors(surface(image)) for image in self._context.pictures]
            self.chosen = min(self.seen, key=lambda one: min(unlikeness(one.colors, each) for each in shown), default=None)
            self._left = self._way(self.chosen.top if self._held else self.chosen.flat) if self.chosen else []
        return self._left.pop(0) if self._left else Stop()

    def _way(self, top):
        x, y, z = top
        at, above = (
            ToolPose(Pose((x, y, z + self._height - 0.001), DOWN), straight=True),
            ToolPose(Pose((x, y, z + self._height + 0.1), DOWN)),
        )
        if self._held:
            at = ToolPose(at.pose.shifted((0.0, 0.0, 0.004)), straight=True, speed=0.3)
            return [above, at, Seal(on=False), Wait(0.3), ToolPose(above.pose, straight=True)]
        return [above, at, Seal(on=True), ToolPose(above.pose, straight=True, speed=0.5)]


def surface(image):
    """The pixels of a prompt's picture, (n, 3), that are not of its plain background, which is the same along a row; a tile has none."""
    shown = np.abs(image.color.astype(int) - image.color[:, :1]).max(axis=2) > 12
    return image.color[shown] if image.role != TEXTURE else image.color.reshape(-1, 3)


def colors(pixels):
    """The colors of pixels, (n, 3) uint8 RGB, as at most `MOST` in Lab, whose lightness counts half since the light differs."""
    lab = cv2.cvtColor(pixels[:: max(1, len(pixels) // MOST)].reshape(1, -1, 3).astype(np.float32) / 255, cv2.COLOR_RGB2Lab)[0]
    return lab * (0.5, 1.0, 1.0)


def unlikeness(one, other):
    """Mean distance from a color of one to the nearest of the other, both ways."""
    apart = np.linalg.norm(one[:, None] - other[None], axis=2)
    return float(apart.min(axis=0).mean() + apart.min(axis=1).mean())


def points(context, observation, camera):
    """The world point of each pixel, (height, width, 3) m."""
    picture, lens = observation.pictures[camera], context.cameras[camera].intrinsics
    rows, columns = np.indices(picture.depth.shape)
    rays = np.stack([(columns - lens[0, 2]) / lens[0, 0], (rows - lens[1, 2]) / lens[1, 1], np.ones_like(picture.depth)], axis=-1)
    return observation.camera_poses[camera].apply((rays * picture.depth[..., None]).reshape(-1, 3)).reshape(rays.shape)


def things(context, observation):
    """What stands on the table, as the camera above it sees it."""
    where, color = points(context, observation, 'overhead'), observation.pictures['overhead'].color
    within = [(low < where[..., i]) & (where[..., i] < high) for i, (low, high) in enumerate(SPAN)]
    mask = (where[..., 2] > LOW) & (where[..., 2] < 0.3) & within[0] & within[1]
    count, labels = cv2.connectedComponents(mask.astype(np.uint8))
    found = []
    for number in range(1, count):
        own = labels == number
        if own.sum() < LEAST:
            continue
        high = np.percentile(where[own][:, 2], 98)
        top = where[own & (where[..., 2] > high - FLAT)]
        x, y = np.median(top[:, :2], axis=0) if len(top) else np.median(where[own][:, :2], axis=0)
        inner = cv2.distanceTransform((own & (where[..., 2] > high - FLAT)).astype(np.uint8), cv2.DIST_L2, 5)
        u, v, _ = where[np.unravel_index(inner.argmax(), inner.shape)]
        found.append(Seen(colors(color[own]), (float(x), float(y), float(high)), (float(u), float(v), float(high))))
    return found


def hung(context, observation):
    """The height of what hangs from the hand, m, as the camera in front of it sees it."""
    where, (x, y, z) = points(context, observation, 'front').reshape(-1, 3), observation.tool.position
    below = where[(np.hypot(where[:, 0] - x, where[:, 1] - y) < 0.09) & (where[:, 2] > 0.1) & (where[:, 2] < z)]
    return float(z - below[:, 2].min()) if len(below) else 0.05


class Shown(Policy):
    """Shows a policy other pictures than those of the instruction."""

    def __init__(self, policy, pictures):
        self._policy, self._pictures = policy, pictures

    def reset(self, context):
        assert len(context.pictures) == len(self._pictures) and not context.privileged_info
        self._policy.reset(replace(context, pictures=self._pictures))

    def act(self, observation):
        return self._policy.act(observation)


@cache
def bench():
    return Bench('xarm6', 'vlmbench:overhead,front')


def episodes(task, seeds):
    """The episodes in which there is a choice, with the chance level of each."""
    made = [catalogue.build(task, 'seen', seed, 'look', PICTURES) for seed in seeds]
    return [(one, 1 / (1 + len(one.alternatives))) for one in made if one.alternatives]


def solves(episode, pictures=None):
    """Tell whether the policy solves an episode that is told with its own pictures, or with others."""
    reader = PictureReader(held=bool(episode.scene.robot.held))
    player = Shown(reader, pictures) if pictures else reader
    return bench().run(episode, Played(player)).report.verdict is Verdict.SUCCESS


def misleading(episode):
    """The pictures of an instruction that asks for another thing of the same noun on the same table."""
    meant = episode.scene.prop(episode.instruction.refs[WANTED[episode.task]].prop)
    other = next(prop for prop in episode.scene.props if prop.noun == meant.noun and prop != meant)
    swapped = {portrait(meant, episode.scene): portrait(other, episode.scene), look_tile(meant.look): look_tile(other.look)}
    told = episode.instruction
    assert sum(picture in swapped for picture in told.pictures) == 1
    pictures = tuple(swapped.get(picture, picture) for picture in told.pictures)
    return bench().prompt_images(replace(episode, instruction=replace(told, pictures=pictures)))


def at_least(count, levels):
    """The probability that so many or more of independent events with these probabilities happen."""
    odds = np.array([1.0])
    for level in levels:
        odds = np.convolve(odds, [1 - level, level])
    return float(odds[count:].sum())


def test_the_probability_is_that_of_independent_events():
    assert at_least(2, [0.5, 0.5]) == pytest.approx(0.25) and at_least(1, [0.5, 0.25]) == pytest.approx(0.625)
    assert at_least(0, [0.3]) == 1.0 and at_least(2, [0.3]) == 0.0


def tried(task, seeds, misled=None):
    """The number of episodes, of those solved, the chance levels, and how many of the first are solved with misleading pictures."""
    made = episodes(task, seeds)
    own = sum(solves(episode) for episode, _ in made)
    wrong = sum(solves(episode, misleading(episode)) for episode, _ in made[:misled])
    return len(made), own, [level for _, level in made], wrong


@pytest.mark.parametrize('task', ['clevrskills/pick', pytest.param('clevrskills/place', marks=pytest.mark.slow)])
def test_a_policy_that_reads_pictures_alone_beats_chance_and_other_pictures_mislead_it(task):
    count, own, levels, wrong = tried(task, SEEDS[1:9], misled=2)
    assert count >= 6
    assert at_least(own, levels) < 0.01, f'{own} of {count}'
    assert wrong <= sum(levels[:2]), f'{wrong} of 2'


@pytest.mark.slow
@pytest.mark.parametrize('task', WANTED)
def test_over_many_seeds_too_the_pictures_decide(task):
    count, own, levels, wrong = tried(task, SEEDS)
    print(f'{task}: {own} of {count} solved, {wrong} misled; chance {sum(levels):.1f}, p = {at_least(own, levels):.1e}')
    assert count >= 30
    assert at_least(own, levels) < 0.001, f'{own} of {count}'
    assert wrong <= sum(levels), f'{wrong} of {count}'
