"""The evaluation protocols of the published suites as data: what each one fixes, what its paper says, and where ours differs.

A protocol is named like the family whose tasks it plays. What differs between the simulators as such, for example tolerances and
objects, is in docs/fidelity.md.
"""

from collections.abc import Collection
from dataclasses import KW_ONLY, dataclass

from vlm_bench_sim.core import aids
from vlm_bench_sim.core.errors import ConfigError, near, quoted
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.language.pictures import FIRST_FRAME, WORDS
from vlm_bench_tasks.task_choice import chosen, levels

TEST = 'test'
"""The purpose of all seeds of a protocol."""


@dataclass(frozen=True)
class Variant:
    """One of the tables of a paper: how policies are asked and aided in it.

    Attributes:
        name: for reports and headings.
        prompt: how policies are asked, one of `language.pictures.FORMS`.
        assist: aids of every policy.
        leaves_out: ids of tasks that this table does not have.
        published: the paper has results of it.
    """

    name: str
    prompt: str = WORDS
    _: KW_ONLY
    assist: tuple[str, ...] = ()
    leaves_out: tuple[str, ...] = ()
    published: bool = True


@dataclass(frozen=True)
class Point:
    """One point of a protocol in words: what the paper says, and what is done here beyond what the protocol's fields say."""

    what: str
    paper: str
    here: str = ''


@dataclass(frozen=True)
class Protocol:
    """How a suite is evaluated.

    Attributes:
        name: the family whose tasks are played.
        suite: name of the suite in its paper.
        splits: splits that are played, one column or group of rows of the tables each.
        seeds: seeds of each task, axis and split; test seeds.
        axis: axis of variation; '': every axis of each task.
        cameras: camera set or a list of its cameras.
        size: size of the pictures, WIDTHxHEIGHT in pixels.
        variants: the tables of the paper; the first is the default.
        points: what the paper says.
    """

    name: str
    suite: str
    _: KW_ONLY
    splits: tuple[str, ...]
    seeds: range
    axis: str = ''
    cameras: str
    size: str
    variants: tuple[Variant, ...]
    points: tuple[Point, ...]

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels of its tasks, such as L0; empty if they have none."""
        return levels(self.name)

    def tasks(self, variant: Variant) -> tuple[str, ...]:
        """Return the ids of the tasks that a table of the paper has."""
        return tuple(task for task in chosen(self.name) if task not in variant.leaves_out)

    def axes(self, task: str) -> tuple[str, ...]:
        """Return the axes along which a task is played."""
        return (self.axis,) if self.axis else catalogue.task(task).axes

    def variant(self, name: str) -> Variant:
        """Return the table with a name.

        Raises:
            ConfigError: there is no such table.
        """
        for known in self.variants:
            if known.name == name:
                return known
        names = [known.name for known in self.variants]
        raise ConfigError(f'The protocol {self.name} has no table called {quoted(name)}. {near(name, names)}')


_CLEVRSKILLS = Protocol(
    'clevrskills',
    'ClevrSkills',
    splits=('seen', 'unseen'),
    seeds=range(170_000, 170_020),
    cameras='clevrskills:base,hand',
    size='256x256',
    variants=(
        Variant('pictures', FIRST_FRAME),
        Variant(
            'words',
            leaves_out=tuple(
                f'clevrskills/{name}'
                for name in ('match_pose', 'move_without_hitting', 'follow_order', 'follow_order_restore', 'rearrange', 'rearrange_restore')
            ),
        ),
    ),
    points=(
        Point('tasks', '33: 12 of L0, 15 of L1 and 6 of L2; asked in words 27, because the prompts of six need pictures'),
        Point(
            'splits',
            'seen objects and textures at each level; unseen ones of both at L0',
            'both at each level; along `look` textures are unseen, along `shape` objects, never both at once. Tasks of poses '
            '(`match_pose`, `move_without_hitting`, `trace`) have nothing unseen: their splits are other draws',
        ),
        Point('episodes', '20 seeds of each task that training has not seen'),
        Point('asked', 'with pictures, and the initial frame added to the prompt; in another test in words alone'),
        Point('cameras', 'RGB of base and hand; JAT sees base alone, at 84 × 84'),
        Point('size', '256 × 256'),
        Point('aids', 'none'),
        Point('limits', '1000 control steps (50 s) for each task'),
        Point(
            'training',
            'on L0; on L0 and then tried on L1 without training (zero-shot) or with (fine-tuned); on L0 and L1, and L2 in the same way',
            'declared with `--trained-on` and `--fine-tuned-on`, and not checked',
        ),
        Point(
            'checkpoint',
            'evaluated every 50 000 iterations, the best one counts',
            'one, chosen on validation seeds (80 000 to 99 999)',
        ),
        Point(
            'numbers',
            'success, summed reward, reward per step',
            'success; a mean in which each task weighs the same. The dense rewards are not comparable',
        ),
    ),
)

_ARNOLD = Protocol(
    'arnold',
    'ARNOLD',
    splits=('test', 'novel_object', 'novel_scene', 'novel_state', 'any_state'),
    seeds=range(170_000, 170_020),
    axis='goal',
    cameras='arnold',
    size='128x128',
    variants=(Variant('own grasp'), Variant('given grasp', assist=(aids.GRASP,))),
    points=(
        Point('tasks', 'eight'),
        Point('splits', 'one with seen things and numbers, and one each with novel objects, scenes and numbers, and with any number'),
        Point(
            'episodes',
            'in the challenge 20 of each task and split, 800 in all, three runs of each; in the published table all, 50 to 530 of each',
            'one run, since a run repeats bit by bit',
        ),
        Point('asked', 'in words'),
        Point('cameras', 'five, with depth; BC-Z sees front alone', 'all five, with depth'),
        Point('size', '128 × 128 (256 × 256 in the first paper)'),
        Point('aids', 'none, or the first phase (the grasp) from the ground truth: two numbers for each cell'),
        Point('gripper', 'opens and closes on a schedule, and is never predicted', 'is commanded by the policy'),
        Point(
            'limits',
            '2400 control steps (20 s) without those of the gripper; then 2.5 s for the goal to hold',
            'then 2.5 s',
        ),
        Point('checkpoint', 'the best of ten, by success on the validation split', 'not said; choose it on the split `val`'),
        Point(
            'numbers',
            'success; the mean over the tasks; an episode that is missing counts as a failure',
            'the same; episodes that the bench could not observe are left out and counted',
        ),
    ),
)

_LOHORAVENS = Protocol(
    'lohoravens',
    'LoHoRavens',
    splits=('test',),
    seeds=range(100_000, 100_200),
    cameras='lohoravens',
    size='640x480',
    variants=(Variant('own stop'), Variant('oracle stop', assist=(aids.STOPPING,))),
    points=(
        Point('tasks', 'A, three primitives, and B to K, which need five steps or more; A to E are seen in training, F to K unseen'),
        Point('splits', 'test, with colors of which four are not seen in training', 'none of its colors is seen in training'),
        Point(
            'episodes',
            '200 test instances of each task; how many were played, and how often, is not said',
            'A is the mean of its three axes',
        ),
        Point('asked', 'in words'),
        Point(
            'cameras',
            'front, left and right with depth, fused to a map from above; the reporter looks from above (in the code, front)',
            'all four, with depth',
        ),
        Point('size', '640 × 480'),
        Point('aids', 'the simulator stops plain CLIPort when the goal holds; the planners stop by themselves'),
        Point('perturbations', 'noise and drops at test time; whether for this table is not said', 'none'),
        Point('limits', 'a number of picks and places for each task, by its blocks'),
        Point('numbers', 'the score, 0 to 100; no intervals', 'the score, and beside it the success, which needs the whole goal'),
    ),
)

_VLMBENCH = Protocol(
    'vlmbench',
    'VLMbench',
    splits=('seen', 'unseen'),
    seeds=range(100_000, 100_100),
    cameras='vlmbench',
    size='360x360',
    variants=(
        Variant('aided', assist=tuple(sorted((aids.SUBGOALS, aids.SNAPPING, aids.HAND)))),
        Variant('unaided', published=False),
    ),
    points=(
        Point('tasks', 'eight categories, of one task file for each axis of variation'),
        Point('splits', 'seen and unseen colors, shapes and models'),
        Point('episodes', '100 of each file, or 96 where its variations divide them so: 2380 of each split'),
        Point('asked', 'in words, and with the number of the step'),
        Point('cameras', 'five, with depth, fused to a map from above', 'all five, with depth'),
        Point('size', '360 × 360'),
        Point(
            'aids',
            'the list of steps and when the gripper moves come from the ground truth; a hand near a grasp is moved onto it. Two rows of '
            'the table have the orientation or the position from the ground truth, too',
            'steps are sentences; the table without aids, which the paper does not have, is for policies that move the gripper themselves; '
            'no orientation or position is given',
        ),
        Point('limits', 'as many poses as the list has steps, three at most'),
        Point(
            'numbers',
            'success, at any step of the simulation, also in the hand',
            'success; the goal must hold for 0.5 s after the release',
        ),
    ),
)

PROTOCOLS = {protocol.name: protocol for protocol in (_CLEVRSKILLS, _ARNOLD, _LOHORAVENS, _VLMBENCH)}
"""Every protocol by its name."""


def protocol(name: str) -> Protocol:
    """Return the protocol with a name.

    Raises:
        ConfigError: there is no such protocol.
    """
    if name not in PROTOCOLS:
        raise ConfigError(f'There is no protocol called {quoted(name)}. {near(name, PROTOCOLS)}')
    return PROTOCOLS[name]


def level_or_task(task: str) -> str:
    """Return what the cells of a table are named by: the level of a task if it has one, or else its id. It may be unknown here."""
    return (catalogue.task(task).level if task in catalogue.tasks() else '') or task


def listed(names: Collection[str]) -> str:
    """Return names as a list in words."""
    return ', '.join(names) or 'none'
