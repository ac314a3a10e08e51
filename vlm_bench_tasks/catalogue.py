"""The catalogue of tasks, read from the files of `suite/`, ours and those of extensions. There is no other list of them."""

from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from traceback import extract_tb

from vlm_bench_sim.core.engine import LACKS, NO_ENGINE, PYBULLET
from vlm_bench_sim.core.errors import AxisError, NeedError, NoRoomError, PromptError, SplitError, TaskError, VlmBenchError, near, quoted
from vlm_bench_sim.core.perturbation import NONE, Perturbation, read
from vlm_bench_sim.extensions import besides
from vlm_bench_tasks import settings
from vlm_bench_tasks.alternatives import alternatives
from vlm_bench_tasks.episode import Due, Episode, Task
from vlm_bench_tasks.family import family_name
from vlm_bench_tasks.language.pictures import FIRST_FRAME, PICTURES, WORDS, check_form
from vlm_bench_tasks.suites import families as families
from vlm_bench_tasks.suites import family as family
from vlm_bench_tasks.suites import imported, problems, splits_file
from vlm_bench_tasks.suites import tasks as tasks
from vlm_bench_tasks.variation import perturbing
from vlm_bench_tasks.variation.draw import Draw
from vlm_bench_tasks.variation.pools import Pools, Splits
from vlm_bench_tasks.variation.seeds import check_learned, check_published, seeds_of
from vlm_bench_tasks.variation.streams import Streams

_LAYOUTS = 5


def chosen(name: str) -> tuple[str, ...]:
    """Return the ids of the tasks that `name` selects: a task id, a family, or a glob such as '*/stack*'.

    Raises:
        TaskError: no task matches.
    """
    found = tuple(known for known in tasks() if name == family_name(known) or fnmatchcase(known, name))
    if not found:
        raise TaskError(f'There is no task or family called {quoted(name)}. {near(name, {*tasks(), *families()})}{besides(problems())}')
    return found


def due(made_by: Task, name: str) -> Due:
    """Return what is due of the oracle on a task with this id."""
    return made_by.due or family(name).due


def pools(name: str) -> Splits:
    """Return the pools and published seeds of a family, given its name or the id of one of its tasks.

    Raises:
        TaskError: there is no such family.
        ConfigError: config/splits.yaml, or that of its extension, is invalid.
    """
    return family(name).splits or settings.splits(family_name(name), splits_file(name))


def task(name: str) -> Task:
    """Return the task with the given id. If it names no robot, its `robot` is that of its family.

    Raises:
        TaskError: there is no such task.
    """
    if name not in tasks():
        raise TaskError(f'There is no task called {quoted(name)}. {near(name, tasks())}{besides(problems())}')
    made = getattr(imported(name, name.partition('/')[2]), 'TASK', None)
    if not isinstance(made, Task):
        raise TaskError(f'TASK of {name!r} is a {type(made).__name__}. Make it a Task(build, axes=…, horizon=…).')
    return made if made.robot else replace(made, robot=family(name).robot)


def sound(names: Iterable[str]) -> tuple[dict[str, Task], tuple[str, ...]]:
    """Return those of these tasks that can be loaded, by id, and why the others cannot, each a sentence."""
    made, problems = dict[str, Task](), list[str]()
    for name in names:
        try:
            made[name] = task(name)
            pools(name)
        except VlmBenchError as error:
            made.pop(name, None)
            problems.append(str(error))
    return made, tuple(problems)


def check_needs(*names: str, engine: str, perturbation: Perturbation = NONE) -> None:
    """Check that tasks can run in a physics engine or on a real arm.

    Args:
        names: ids of the tasks.
        engine: name of the engine; `NO_ENGINE` on a real arm.
        perturbation: the perturbation they will run with.

    Raises:
        TaskError: there is no such task; a NeedError: one needs what is not there, or the arm is real and a perturbation is given.
    """
    found = {name: [need for need in task(name).needs if need in LACKS[engine]] for name in names}
    if lacking := ', '.join(f'{name} needs {" and ".join(needs)}' for name, needs in found.items() if needs):
        here, instead = ('a real arm', 'simulation') if engine == NO_ENGINE else (f'the engine {engine}', f'the engine {PYBULLET}')
        raise NeedError(f'{lacking}, which {here} does not have. Run it in {instead}, or choose another task.')
    if perturbation and engine == NO_ENGINE:
        raise NeedError(f'Perturbations ({", ".join(perturbation.labels)}) need a simulator. Leave them out on a real arm.')


def splits(name: str) -> tuple[str, ...]:
    """Return the splits of a task, the base first.

    Raises:
        TaskError: there is no such task.
    """
    task(name)
    return tuple(pools(name).pools)


def seeds(name: str, split: str) -> range | None:
    """Return the seeds of a split's published episodes; None if it has no such range. Other seeds can be run, too.

    Raises:
        TaskError: there is no such task.
        SplitError: there is no such split.
    """
    known = splits(name)
    if split not in known:
        raise SplitError(f'{name!r} has no split called {quoted(split)}. {near(split, known)}')
    return pools(name).seeds.get(split)


def seeds_to_learn_from(name: str, split: str, wanted: range) -> str:
    """Check that demonstrations may be recorded with these seeds, and return their purpose: 'train' or 'validate'.

    Raises:
        TaskError: there is no such task.
        SplitError: there is no such split.
        SeedError: they are test seeds, are not published for the split, or have several purposes.
    """
    return check_learned(wanted, seeds(name, split), f'{name!r}, split {split!r},', pools(name).seeds)


def seeds_to_score(name: str, split: str, wanted: range) -> str:
    """Check that a policy may be scored on these seeds, and return their purpose for the score: 'train', 'validate' or 'test'.

    Raises:
        TaskError: there is no such task.
        SplitError: there is no such split.
        SeedError: they are not published for the split, or have several purposes.
    """
    return check_published(wanted, seeds(name, split), f'{name!r}, split {split!r},', pools(name).seeds)


def cameras(name: str) -> str:
    """Return the cameras that show a task where nobody names others: those of its family.

    Raises:
        TaskError: there is no such task.
    """
    task(name)
    return family(name).cameras


def seeds_for(name: str, split: str, word: str) -> range:
    """Return the seeds of a split for one purpose: 'train', 'validate' or 'test'. The range may be empty.

    Raises:
        TaskError: there is no such task.
        SplitError: there is no such split.
        SeedError: there is no such purpose.
    """
    return seeds_of(word, seeds(name, split))


def build(name: str, split: str, seed: int, axis: str = '', prompt: str = '') -> Episode:
    """Return an episode of a task. The same arguments always give the same episode.

    Args:
        name: id of the task.
        split: name of the split, for example 'seen'; '' for the family's first.
        seed: random seed of every stream, from 0.
        axis: axis of variation; '' for the task's first.
        prompt: how the policy is asked, one of `language.pictures.FORMS`; '' for the task's first. The rest of the episode is the same.

    Raises:
        TaskError: there is no such task or seed.
        AxisError: the task does not vary along that axis.
        SplitError: there is no such split.
        NoRoomError: the drawn props do not fit on the table.
        PromptError: there is no such prompt, or the task cannot be asked so.
    """
    return episode(task(name), name, split, seed, axis, prompt=prompt)


def episode(made_by: Task, name: str, split: str, seed: int, axis: str = '', *, prompt: str = '') -> Episode:
    """Return an episode of a task that may be missing from the catalogue. `name` selects the family whose splits are used.

    Raises:
        TaskError: the seed is invalid, or the task has cues but does not list them in `needs`.
        PromptError: there is no such prompt, or the task cannot be asked so.
        AxisError: the task does not vary along that axis.
        SplitError: there is no such split.
        NoRoomError: the drawn props did not fit on the table in any of several layouts.
    """
    axis = axis or made_by.axes[0]
    if axis not in made_by.axes:
        raise AxisError(f'{name!r} does not vary along {quoted(axis)}. {near(axis, made_by.axes)}')
    prompt = check_prompt(made_by, name, prompt)
    splits_of = pools(name)
    split = split or splits_of.base
    streams = Streams(name, split, seed)
    draw, built = _laid(made_by, streams, splits_of.along(axis, split), axis)
    _check_declared(made_by, name, built)
    others = alternatives(built.scene, built.plan or built.goal, built.instruction.refs, built.alternatives)
    told = built.instruction
    view = family(name).view if prompt == FIRST_FRAME else ''
    return replace(
        built,
        alternatives=others,
        instruction=told.spoken(built.scene, draw.language) if prompt == WORDS else told.pictured(built.scene, draw.language, view),
        prompt=prompt,
        task=name,
        axis=axis,
        split=split,
        seed=seed,
        revision=made_by.revision,
        horizon=made_by.horizon,
        step_limit=made_by.step_limit,
    )


def _check_declared(made_by: Task, name: str, built: Episode) -> None:
    held = {'cues': bool(built.cues), 'beads': bool(built.scene.beads), 'dirt': bool(built.scene.dirt)}
    if found := [need for need, there in held.items() if there and need not in made_by.needs]:
        raise TaskError(
            f'{name!r} has {" and ".join(found)}, which not every engine or arm has. Declare it: Task(…, needs={tuple(found)}).'
        )


def check_prompt(made_by: Task, name: str, prompt: str) -> str:
    """Return the prompt if a task with this id can be asked so; its first one for ''.

    Raises:
        PromptError: there is no such prompt, or the task cannot be asked so.
    """
    prompt = check_form(prompt or made_by.prompts[0])
    if prompt == WORDS and WORDS not in made_by.prompts:
        raise PromptError(f'{name!r} cannot be asked in words: its goal is shown in pictures. Use the prompt {PICTURES}.')
    if prompt != WORDS and PICTURES not in made_by.prompts:
        raise PromptError(f'{name!r} cannot be asked with pictures. Use the prompt {WORDS}.')
    return prompt


def _laid(made_by: Task, streams: Streams, pools: Pools, axis: str) -> tuple[Draw, Episode]:
    """Return the draw and the episode of the first layout in which everything fits."""
    for attempt in range(_LAYOUTS):
        draw = family(streams.task).draw(streams, pools, axis=axis, workspace=settings.workspace(), attempt=attempt)
        try:
            built = made_by.build(draw)
        except NoRoomError:
            if attempt == _LAYOUTS - 1:
                raise
            continue
        except VlmBenchError:
            raise
        except Exception as error:  # a task file may be anybody's
            at = extract_tb(error.__traceback__)[-1]
            told = f'{type(error).__name__}: {error} ({at.filename}, line {at.lineno})'
            raise TaskError(f'build of {streams.task!r} failed: {told}. Correct it.') from error
        if not isinstance(built, Episode):
            raise TaskError(f'build of {streams.task!r} returns {type(built).__name__!r}. Return an Episode.')
        return draw, built
    raise AssertionError('unreachable')


def perturbation(words: Iterable[str]) -> Perturbation:
    """Return the perturbation for words of the form `name=size` or presets of config/perturbations.yaml. Later words take precedence.

    Raises:
        ConfigError: there is no such kind or preset, or a size is invalid.
    """
    return read(words, settings.perturbations())


def perturbed(built: Episode, by: Perturbation) -> Episode:
    """Return the episode with its scene perturbed and the perturbation stored for its run. An empty perturbation changes nothing.

    Raises:
        TaskError: the episode is perturbed already.
        SceneError: there is no room for that many distractors.
    """
    if built.perturbation:
        raise TaskError(f'The episode is already perturbed ({", ".join(built.perturbation.labels)}). Perturb the original episode.')
    if not by:
        return built
    harder, before = replace(built, perturbation=by), built.scene
    aims = (built.goal, built.plan, built.alternatives)
    after = perturbing.perturbed(before, harder.seeded_perturbation, refs=built.instruction.refs.values(), goal=aims)
    goal, plan, alternatives = perturbing.following(aims, before, after)
    cues, told = perturbing.following(built.cues, before, after), built.instruction
    told = replace(told, pictures=perturbing.shown(told.pictures, before, after))
    return replace(harder, scene=after, goal=goal, plan=plan, alternatives=alternatives, cues=cues, instruction=told)
