"""Fill in the options that a protocol fixes, and refuse those that contradict it."""

from collections.abc import Collection
from dataclasses import replace

from vlm_bench_sim.core import aids
from vlm_bench_sim.core.errors import ConfigError, SeedError, quoted
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.evaluation.declaration import NOTHING, Declaration, read_fine_tuned_on, read_trained_on
from vlm_bench_tasks.evaluation.plan import Asked
from vlm_bench_tasks.evaluation.protocols import TEST, Protocol, Variant, listed
from vlm_bench_tasks.evaluation.protocols import protocol as named_protocol
from vlm_bench_tasks.language.pictures import FIRST_FRAME, PICTURES
from vlm_bench_tasks.policies import policies
from vlm_bench_tasks.task_choice import chosen
from vlm_bench_tasks.variation.seeds import read_seeds

_FIXED = ('split', 'axis', 'robot', 'cameras', 'size')


def completed(
    asked: Asked, given: Collection[str], *, protocol: str = '', seeds: str = '', trained_on: str = '', fine_tuned_on: str = ''
) -> Asked:
    """Return the options of an evaluation, completed by those of its protocol if it has one; the arguments are those of `under_protocol`.

    Raises:
        VlmBenchError: as in `under_protocol`; or without a protocol seeds are missing, or trained levels are declared.
    """
    if protocol:
        return under_protocol(protocol, asked, given, seeds=seeds, trained_on=trained_on, fine_tuned_on=fine_tuned_on)
    if trained_on or fine_tuned_on:
        raise ConfigError('--trained-on and --fine-tuned-on are declared for a protocol. Add one, such as --protocol clevrskills.')
    if not seeds:
        raise SeedError('An evaluation needs seeds. Give --seeds first:last, such as 100000:100050, or a --protocol, which has its own.')
    return replace(asked, seeds=read_seeds(seeds))


def under_protocol(
    name: str, asked: Asked, given: Collection[str], *, seeds: str = '', trained_on: str = '', fine_tuned_on: str = ''
) -> Asked:
    """Return the options of an evaluation under a protocol.

    Args:
        name: name of the protocol.
        asked: the options as they were given, or their defaults.
        given: names of the options that were given; the protocol fills in all others. Tasks, level and seeds may narrow it.
        seeds: test seeds in words; '': those of the protocol.
        trained_on: levels that the policy was trained on, in words.
        fine_tuned_on: levels that it was fine-tuned on.

    Raises:
        VlmBenchError: there is no such protocol, an option contradicts it, or what the policy was trained on is not declared.
    """
    wanted = named_protocol(name)
    variant = _variant(wanted, asked, given)
    fixed = replace(asked, split=','.join(wanted.splits), axis=wanted.axis, robot='', cameras=wanted.cameras, size=wanted.size)
    for option in _FIXED:
        _check_fixed(wanted, option, getattr(fixed, option), getattr(asked, option), given)
    if 'perturb' in given and catalogue.perturbation(asked.perturb):
        raise ConfigError(
            f'The protocol {name} is played without perturbations; --perturb asked for {", ".join(asked.perturb)}. Leave --perturb out, '
            'or evaluate without --protocol.'
        )
    return replace(
        fixed,
        tasks=','.join(_tasks(wanted, variant, asked, given)),
        level='',
        seeds=_seeds(wanted, seeds),
        prompt=variant.prompt,
        assist=variant.assist,
        declared=_declared(wanted, variant, asked.policy, trained_on, fine_tuned_on),
    )


def _check_fixed(wanted: Protocol, option: str, fixed: str, found: str, given: Collection[str]) -> None:
    if option in given and found != fixed:
        says = fixed or {'robot': "each task's own robot", 'axis': 'every axis of each task'}[option]
        raise ConfigError(
            f'--{option} {quoted(found)} contradicts the protocol {wanted.name}, which has {says}. Leave --{option} out, or evaluate '
            'without --protocol.'
        )


def _variant(wanted: Protocol, asked: Asked, given: Collection[str]) -> Variant:
    """Return the table of the paper that --prompt and --assist choose, the first one by default."""
    prompt = FIRST_FRAME if asked.prompt == PICTURES else asked.prompt
    assist = aids.read(asked.assist)
    fitting = [
        variant
        for variant in wanted.variants
        if ('prompt' not in given or prompt in ('', variant.prompt)) and ('assist' not in given or variant.assist == assist)
    ]
    if not fitting:
        tables = '; '.join(
            f'{variant.name} (--prompt {variant.prompt}, --assist {",".join(variant.assist) or "none"})' for variant in wanted.variants
        )
        told = [
            f'--{option} {value}' for option, value in (('prompt', quoted(asked.prompt)), ('assist', listed(assist))) if option in given
        ]
        raise ConfigError(f'The protocol {wanted.name} has no table with {" and ".join(told)}. It has: {tables}. Choose one of them.')
    return fitting[0]


def _tasks(wanted: Protocol, variant: Variant, asked: Asked, given: Collection[str]) -> tuple[str, ...]:
    every = wanted.tasks(variant)
    found = chosen(asked.tasks if 'tasks' in given else wanted.name, asked.level)
    left = tuple(task for task in found if task not in variant.leaves_out)  # a family or a glob may name those, too
    named = [part.strip() for part in asked.tasks.split(',') if part.strip() in variant.leaves_out]
    if (named and 'tasks' in given) or not left:
        raise ConfigError(
            f'The table {variant.name} of the protocol {wanted.name} leaves out {", ".join(named or found)}: the prompt {variant.prompt} '
            'cannot ask for them. Name other tasks, or another --prompt.'
        )
    if foreign := [task for task in left if task not in every]:
        raise ConfigError(f'The protocol {wanted.name} has no task {" or ".join(foreign[:3])}. Name tasks of {wanted.name}.')
    return left


def _seeds(wanted: Protocol, text: str) -> range:
    if not text:
        return wanted.seeds
    seeds, task = read_seeds(text), wanted.tasks(wanted.variants[0])[0]
    for split in wanted.splits:
        if (found := catalogue.seeds_to_score(task, split, seeds)) != TEST:
            raise SeedError(f'A protocol is played on test seeds; {text} are for {found}. Name seeds from {wanted.seeds[0]} on.')
    return seeds


def _declared(wanted: Protocol, variant: Variant, policy: str, trained_on: str, fine_tuned_on: str) -> Declaration:
    levels = wanted.levels
    declared = Declaration(protocol=wanted.name, variant=variant.name)
    if not levels:
        if trained_on or fine_tuned_on:
            raise ConfigError(
                f'--trained-on and --fine-tuned-on name levels, and the tasks of the protocol {wanted.name} have none. Leave them out.'
            )
        return declared
    if policy in policies():
        if trained_on not in ('', NOTHING) or fine_tuned_on:
            raise ConfigError(f'The built-in policy {policy} does not learn. Leave --trained-on and --fine-tuned-on out.')
        trained_on = NOTHING
    if not trained_on:
        raise ConfigError(
            f'The protocol {wanted.name} needs to know what {quoted(policy)} was trained on. Declare it with --trained-on {NOTHING}, or '
            f'with levels, such as --trained-on {"+".join(levels[:2])}.'
        )
    trained = read_trained_on(trained_on, levels)
    return declared.model_copy(update={'trained_on': trained, 'fine_tuned_on': read_fine_tuned_on(fine_tuned_on, levels, trained)})
