"""Pages on protocols: docs/protocols.md, and the published rows beside the rows of reports."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from vlm_bench_tasks import catalogue
from vlm_bench_tasks.evaluation.cells import Cell, cells, check, mean, part, wilson
from vlm_bench_tasks.evaluation.declaration import Declaration
from vlm_bench_tasks.evaluation.protocols import PROTOCOLS, Point, Protocol, Variant, level_or_task, protocol
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.pages.protocol_tables import Ours, protocol_table
from vlm_bench_tasks.pages.tables import literal, table
from vlm_bench_tasks.policies import policies

_SOURCES = {
    'clevrskills': 'ClevrSkills, the tables of success by level',
    'arnold': "ARNOLD's project page, the table of results",
    'lohoravens': 'LoHoRavens, table I',
    'vlmbench': 'VLMbench, the table of success by category',
}
_UNITS = {
    'clevrskills': 'Success in percent, the mean over the tasks of a level.',
    'arnold': 'Success in percent; the mean over the eight tasks.',
    'lohoravens': 'The score of 0 to 100, and after it, in our rows, success in percent. The means are those of the columns before them.',
    'vlmbench': 'Success in percent, seen / unseen.',
}
_ANOTHER = (
    'The rows marked *another simulator* are published ones ({source}): other objects, cameras, tolerances and judges. They show what is '
    'hard for learned policies, and are not to be compared with the scores of this bench. {units} Our rows give 95 % intervals, '
    'which count the episodes of a seed along several axes as independent.'
)
_ABOUT = """\
A protocol is how a paper evaluates its suite: tasks, splits, seeds, cameras, size of the pictures, aids. `evaluate --protocol` fixes
all of it under one name, and `protocol` sets reports beside the published rows:

```sh
.venv/bin/vlm-bench evaluate --protocol arnold --policy examples.policy_class:FirstPolicy --workers 2 --out mine.json
.venv/bin/vlm-bench protocol arnold mine.json
```

- `--tasks`, `--level` and `--seeds` (other test seeds, or fewer) narrow a protocol. The report and the table then say that it is a part.
  One task and one seed are still one episode for each axis and split of the protocol.
- `--prompt` and `--assist` choose between the tables of a paper, where it has several. `--assist none` asks for the one without aids.
- Any other option that contradicts the protocol is refused: `--split --axis --robot --cameras --size --perturb`. What a machine needs
  is free: `--workers --record --answer-timeout`, and what interprets the answers of a policy server.
- The built-in policies do not learn and look at no pictures. They show that a protocol can be solved (the expert, `oracle`), and what
  is solved without an answer to the sentence (the controls).
- Our rows below are those of [results](results/all.md): the built-in policies, with the splits, seeds and axes that a page there says,
  without aids and without cameras; none of these policies looks at pictures. A dash: not played, or not published.

What differs between the simulators as such is in [fidelity.md](fidelity.md)."""
_DIGITS = 12  # of a digest, enough to tell two apart
_CALL = '.venv/bin/vlm-bench evaluate --protocol clevrskills --policy examples.policy_class:FirstPolicy'
_LEVELS = """\
What a policy was trained on is declared, stored in the report, and shown with it. The bench cannot check it.

```sh
{call} --trained-on L0+L1 --out zero.json
{call} --trained-on L0+L1 --fine-tuned-on L2 --out fine.json
{call} --trained-on L0 --prompt words --out words.json
.venv/bin/vlm-bench protocol clevrskills zero.json fine.json words.json
```

`--trained-on` takes `nothing` or all levels from the first (`L0`, `L0+L1`, `L0+L1+L2`), `--fine-tuned-on` further ones. Results of a
level are *trained*, *fine-tuned* or *zero-shot*. The paper's columns of L1 belong to models that were trained on L0, those of L2 to
models that were trained on L0 and L1. Where a policy was trained on L1 or L2 from the start, its results stand in the column
*fine-tuned* and say so. The columns *L1 unseen* and *L2 unseen* are ours alone: the paper has no such results.

#### Data for it

`generate` asks in words unless told otherwise, and records a camera more. This is how to ask and look as the protocol does:

```sh
.venv/bin/vlm-bench generate --tasks clevrskills --level L0,L1 --seeds 0:200 --prompt pictures,first_frame \\
  --cameras clevrskills:base,hand --size 256x256 --out data
```

With `--level L0` it makes data of the skills alone, and `export --level L0` chooses them from data of more levels. One task and one seed
are one episode for each axis, of the split `seen` unless `--split` names the other.""".replace('{call}', _CALL)


def protocols_page(folder: Path, head: str) -> str:
    """Return docs/protocols.md, made of the protocols and of the JSON summaries of results in a folder, with `head` below its title."""
    blocks = ['# Protocols', head, _ABOUT]
    for wanted in PROTOCOLS.values():
        points = [(point.what, point.paper, _here(wanted, point)) for point in wanted.points]
        blocks += [f'## {wanted.suite}', f'`--protocol {wanted.name}`', table(('point', 'the paper', 'here'), points)]
        blocks += [_LEVELS] if wanted.levels else []
        blocks.append(_another(wanted))
        for variant in wanted.variants:
            if variant.published:
                blocks += _titled(wanted, variant, _summarized(wanted, variant, folder))
    return '\n\n'.join(blocks) + '\n'


def reports_page(name: str, reports: Sequence[tuple[str, EvaluationReport]]) -> str:
    """Return the tables of a protocol, each with the published rows and those of the reports that belong to it.

    Args:
        name: name of the protocol.
        reports: each with the name of its file; without any, all published rows are returned.

    Raises:
        ConfigError: there is no such protocol, or a report is not of it.
    """
    wanted = protocol(name)
    for file, report in reports:
        check(report, name, file)
    blocks = [f'# {wanted.suite}: published results{" and ours" if reports else ""}', _another(wanted)]
    for variant in wanted.variants:
        own = [(at, file, report) for at, (file, report) in enumerate(reports, start=1) if report.declared.variant == variant.name]
        if own or (variant.published and not reports):
            rows = [Ours(f'{literal(report.policy)} [{at}]', report.declared, cells(report)) for at, _, report in own]
            blocks += _titled(wanted, variant, rows)
            notes = [f'- {literal(f"[{at}] {file}: {_note(report)}.")}' for at, file, report in own]
            blocks += ['\n'.join([*notes, *_differences([(at, report) for at, _, report in own])])] if notes else []
    return '\n\n'.join(blocks) + '\n'


def _another(wanted: Protocol) -> str:
    return _ANOTHER.format(source=_SOURCES[wanted.name], units=_UNITS[wanted.name])


def _titled(wanted: Protocol, variant: Variant, rows: Sequence[Ours]) -> list[str]:
    return [f'### {wanted.suite}: {variant.name}', protocol_table(wanted, variant, rows)]


def _differences(reports: Sequence[tuple[int, EvaluationReport]]) -> list[str]:
    """Return a note if the reports of a table come from other code or other libraries, which can change a score."""
    made = {at: {f'bench={report.bench[:_DIGITS] or "unknown"}', *report.conditions.versions} for at, report in reports}
    common = set.intersection(*made.values())
    told = [f'[{at}] {literal(", ".join(sorted(of - common)))}' for at, of in made.items() if of - common]
    return [f'- These reports were not made by the same code and libraries: {"; ".join(told)}.'] if told else []


def _note(report: EvaluationReport) -> str:
    taken = ', '.join(report.conditions.assistance) or 'none'
    lost, again, first = report.overall.unobservable, report.again, report.at_first
    told = (
        report.declared.training,
        f'a part of the protocol ({found})' if (found := part(report)) else 'the whole protocol',
        f'assistance: {taken}',
        f'{lost} unobservable episodes are left out' if lost else '',
        f'{again} episodes were played more than once; at the first attempt {first} were solved' if again else '',
    )
    return '; '.join(filter(None, told))


def _here(wanted: Protocol, point: Point) -> str:
    """Return what is done here: what the fields of the protocol say, and what its words add."""
    most = wanted.tasks(wanted.variants[0])
    limits = [catalogue.task(task).horizon for task in most]
    said = {
        'tasks': _by_variant(wanted, lambda variant: _counted(wanted, variant)),
        'splits': ', '.join(f'`{split}`' for split in wanted.splits),
        'episodes': (
            f'{len(wanted.seeds)} seeds, {wanted.seeds[0]} to {wanted.seeds[-1]}, of each task, axis and split: '
            f'{len(wanted.seeds) * len(wanted.splits) * sum(len(wanted.axes(task)) for task in most)} episodes'
        ),
        'asked': _by_variant(wanted, lambda variant: f'`{variant.prompt}`'),
        'cameras': f'`{wanted.cameras}`',
        'size': wanted.size.replace('x', ' × '),
        'limits': f'{min(limits):g} to {max(limits):g} simulated s, by task',
        'aids': _by_variant(wanted, lambda variant: ', '.join(f'`{aid}`' for aid in variant.assist) or 'none'),
    }.get(point.what, '')
    return '; '.join(filter(None, (said, point.here)))


def _counted(wanted: Protocol, variant: Variant) -> str:
    without = ', '.join(f'`{task.partition("/")[2]}`' for task in variant.leaves_out)
    return f'{len(wanted.tasks(variant))}' + (f', without {without}, whose prompts need pictures' if without else '')


def _by_variant(wanted: Protocol, say: Any) -> str:
    """Return what is said of each variant; once if it is the same of all."""
    said = {variant.name: say(variant) for variant in wanted.variants}
    return next(iter(said.values())) if len(set(said.values())) == 1 else '; '.join(f'{name}: {text}' for name, text in said.items())


def _summarized(wanted: Protocol, variant: Variant, folder: Path) -> list[Ours]:
    """Return a row for each of our policies whose summary holds results by split of these tasks; these were played without aids."""
    if variant.assist and any(other.published and not other.assist for other in wanted.variants):
        return []  # their rows are in the table without aids
    rows = []
    for policy in policies():
        path = folder / f'{wanted.name}_{policy}.json'
        summary = json.loads(path.read_text()) if path.exists() else {}
        if found := tuple(_cells(wanted, wanted.tasks(variant), summary)):
            declared = Declaration(trained_on=()) if wanted.levels else Declaration()
            rows.append(Ours(f'{policy}, without aids' if variant.assist else policy, declared, found))
    return rows


def _cells(wanted: Protocol, tasks: Sequence[str], summary: dict[str, Any]) -> Iterable[Cell]:
    declared = Declaration(trained_on=()) if wanted.levels else Declaration()
    found: dict[tuple[str, str], list[Cell]] = {}
    for task in tasks:
        for split, (solved, total) in summary.get(task, {}).get('splits', {}).items():
            if split in wanted.splits and total:
                share, name = solved / total, level_or_task(task)
                one = Cell(task, split, '', 1, total, share, wilson(share, total), summary[task].get('score', 0.0))
                found.setdefault((name, split), []).append(one)
    for (name, split), own in found.items():
        together = mean(name, split, own)
        if together is not None:
            yield Cell(**{**vars(together), 'condition': declared.condition(name if name in wanted.levels else '')})
