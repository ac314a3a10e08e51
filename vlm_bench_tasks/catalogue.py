"""The catalogue of tasks: the files of `suite/`, and nothing else to keep in step with them."""

from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from pathlib import Path

from vlm_bench_sim.core.errors import AxisError, NeedError, NoRoomError, SplitError, TaskError, near, quoted
from vlm_bench_sim.core.perturbation import NONE, Perturbation, read
from vlm_bench_tasks import settings
from vlm_bench_tasks.alternatives import alternatives
from vlm_bench_tasks.episode import Episode, Task
from vlm_bench_tasks.family import Family, family_name
from vlm_bench_tasks.variation import perturbing
from vlm_bench_tasks.variation.draw import Draw
from vlm_bench_tasks.variation.pools import Pools, Splits
from vlm_bench_tasks.variation.seeds import check_learned, check_published, seeds_of
from vlm_bench_tasks.variation.streams import Streams

_SUITE = Path(__file__).parent / 'suite'
_LAYOUTS = 5


@cache
def tasks() -> tuple[str, ...]:
    """Return the ids of all tasks: family and file name, for example vlmbench/pick_place."""
    return tuple(sorted(f'{path.parent.name}/{path.stem}' for path in _SUITE.glob('*/*.py') if not path.stem.startswith('_')))


def chosen(name: str) -> tuple[str, ...]:
    """Return the task with that id, all of the family with that name, or all whose ids a glob fits, such as '*/stack*'.

    Raises:
        TaskError: there is none.
    """
    found = tuple(known for known in tasks() if name == family_name(known) or fnmatchcase(known, name))
    if not found:
        raise TaskError(f'There is no task or family called {quoted(name)}. {near(name, {*tasks(), *families()})}')
    return found


def families() -> tuple[str, ...]:
    """Return the names of all families that have tasks."""
    return tuple(sorted({family_name(known) for known in tasks()}))


@cache
def family(name: str) -> Family:
    """Return the family with that name, or that a task with that id belongs to.

    Raises:
        TaskError: there is no such family, or its `_family.py` does not hold one.
    """
    name = family_name(name)
    if name not in families():
        raise TaskError(f'There is no family called {quoted(name)}. {near(name, families())}')
    if not (_SUITE / name / '_family.py').exists():
        return Family()
    found = import_module(f'vlm_bench_tasks.suite.{name}._family').FAMILY
    if not isinstance(found, Family):
        raise TaskError(f'FAMILY of {name!r} is a {type(found).__name__}. Make it a Family(robot=…).')
    return found


def pools(name: str) -> Splits:
    """Return the splits of a family, by its name or the id of a task: pools and published seeds.

    Raises:
        TaskError: there is no such family.
        ConfigError: config/splits.yaml is wrong.
    """
    return family(name).splits or settings.splits(family_name(name))


def task(name: str) -> Task:
    """Return the task with that id; where it names no robot, with its family's.

    Raises:
        TaskError: there is none.
    """
    if name not in tasks():
        raise TaskError(f'There is no task called {quoted(name)}. {near(name, tasks())}')
    found = import_module(f'vlm_bench_tasks.suite.{name.replace("/", ".")}').TASK
    if not isinstance(found, Task):
        raise TaskError(f'TASK of {name!r} is a {type(found).__name__}. Make it a Task(build, axes=…, horizon=…).')
    return found if found.robot else replace(found, robot=family(name).robot)


def check_needs(name: str, *, simulated: bool, perturbation: Perturbation = NONE) -> None:
    """Check that a task can run where it shall.

    Args:
        name: id of the task.
        simulated: False on a real arm.
        perturbation: that it shall run with.

    Raises:
        TaskError: there is no such task.
        NeedError: it needs something that exists in simulation only, or is to be perturbed, which a simulator does.
    """
    needs = task(name).needs
    if needs and not simulated:
        raise NeedError(f'{name!r} needs {", ".join(needs)}, which a real arm does not have. Run it in simulation, or choose another task.')
    if perturbation and not simulated:
        raise NeedError(f"Perturbations ({', '.join(perturbation.labels)}) are a simulator's. Leave them out on a real arm.")


def splits(name: str) -> tuple[str, ...]:
    """Return the splits of a task, the base first.

    Raises:
        TaskError: there is no such task.
    """
    task(name)
    return tuple(pools(name).pools)


def seeds(name: str, split: str) -> range | None:
    """Return the seeds of the published episodes of a split; None where it has no such range. Any seed can be run.

    Raises:
        TaskError: there is no such task.
        SplitError: there is no such split.
    """
    known = splits(name)
    if split not in known:
        raise SplitError(f'{name!r} has no split called {quoted(split)}. {near(split, known)}')
    return pools(name).seeds.get(split)


def seeds_to_learn_from(name: str, split: str, wanted: range) -> str:
    """Check that demonstrations of a task may be made of these seeds, and return what they are for: 'train' or 'validate'.

    Raises:
        TaskError: there is no such task.
        SplitError: there is no such split.
        SeedError: they are for tests, not among the published ones of the split, or for several things.
    """
    return check_learned(wanted, seeds(name, split), f'{name!r}, split {split!r},')


def seeds_to_score(name: str, split: str, wanted: range) -> str:
    """Check that a policy may be scored on these seeds, and return what they are for, which a score says: 'train', 'validate' or 'test'.

    Raises:
        TaskError: there is no such task.
        SplitError: there is no such split.
        SeedError: they are not among the published ones of the split, or for several things.
    """
    return check_published(wanted, seeds(name, split), f'{name!r}, split {split!r},')


def cameras(name: str) -> str:
    """Return the cameras that show a task where nobody names others: those of its family.

    Raises:
        TaskError: there is no such task.
    """
    task(name)
    return family(name).cameras


def seeds_for(name: str, split: str, word: str) -> range:
    """Return the seeds of a split that are for 'train', 'validate' or 'test'; empty where none is.

    Raises:
        TaskError: there is no such task.
        SplitError: there is no such split.
        SeedError: there is no such purpose.
    """
    return seeds_of(word, seeds(name, split))


def build(name: str, split: str, seed: int, axis: str = '') -> Episode:
    """Return the episode of a task; the same arguments always give the same one.

    Args:
        name: id of the task.
        split: of the pools, for example 'seen'; '' for the family's first.
        seed: of every stream of chance, from 0.
        axis: that varies; '' for the task's first.

    Raises:
        TaskError: there is no such task or seed.
        AxisError: the task does not vary along that axis.
        SplitError: there is no such split.
        NoRoomError: what was drawn does not fit on the table.
    """
    return episode(task(name), name, split, seed, axis)


def episode(made_by: Task, name: str, split: str, seed: int, axis: str = '') -> Episode:
    """Return the episode of a task that need not stand in the catalogue; `name` says which family's splits it draws from.

    Raises:
        TaskError: the seed is wrong, or the task has cues and does not say that it needs them.
        AxisError: the task does not vary along that axis.
        SplitError: there is no such split.
        NoRoomError: what was drawn does not fit on the table, in several layouts.
    """
    axis = axis or made_by.axes[0]
    if axis not in made_by.axes:
        raise AxisError(f'{name!r} does not vary along {quoted(axis)}. {near(axis, made_by.axes)}')
    splits_of = pools(name)
    split = split or splits_of.base
    streams = Streams(name, split, seed)
    draw, built = _laid(made_by, streams, splits_of.along(axis, split), axis)
    if built.cues and 'cues' not in made_by.needs:
        raise TaskError(f"{name!r} has cues, which a real arm cannot show. Say so: Task(…, needs=('cues',)).")
    others = alternatives(built.scene, built.plan or built.goal, built.instruction.refs, built.alternatives)
    return replace(
        built,
        alternatives=others,
        instruction=built.instruction.spoken(built.scene, draw.language),
        task=name,
        axis=axis,
        split=split,
        seed=seed,
        revision=made_by.revision,
        horizon=made_by.horizon,
        step_limit=made_by.step_limit,
    )


def _laid(made_by: Task, streams: Streams, pools: Pools, axis: str) -> tuple[Draw, Episode]:
    """Return an episode with the chance that it was drawn from: of the first layout in which everything has room."""
    for attempt in range(_LAYOUTS):
        draw = family(streams.task).draw(streams, pools, axis=axis, workspace=settings.workspace(), attempt=attempt)
        try:
            return draw, made_by.build(draw)
        except NoRoomError:
            if attempt == _LAYOUTS - 1:
                raise
    raise AssertionError('unreachable')


def perturbation(words: Iterable[str]) -> Perturbation:
    """Return the perturbation that is asked for in words: `name=size`, or presets of config/perturbations.yaml, the later ones counting.

    Raises:
        ConfigError: there is no such kind or preset, or a size is wrong.
    """
    return read(words, settings.perturbations())


def perturbed(built: Episode, by: Perturbation) -> Episode:
    """Return an episode made harder: its scene is perturbed, and it says what shall happen while it runs. Nothing without a perturbation.

    Raises:
        TaskError: it is perturbed already.
        SceneError: there is no room for that many distractors.
    """
    if built.perturbation:
        raise TaskError(f'The episode is perturbed already ({", ".join(built.perturbation.labels)}). Perturb the one that was built.')
    if not by:
        return built
    harder, before = replace(built, perturbation=by), built.scene
    aims = (built.goal, built.plan, built.alternatives)
    after = perturbing.perturbed(before, harder.seeded_perturbation, refs=built.instruction.refs.values(), goal=aims)
    goal, plan, alternatives = perturbing.following(aims, before, after)
    return replace(
        harder, scene=after, goal=goal, plan=plan, alternatives=alternatives, cues=perturbing.following(built.cues, before, after)
    )
