"""Verify a report at the terminal: what it claims, what differs on this machine, and what its episodes come to now."""

import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.console.scoring import COLUMNS, Bar
from vlm_bench_tasks.evaluation.cells import check
from vlm_bench_tasks.evaluation.claims import false_claims
from vlm_bench_tasks.evaluation.evaluate import played
from vlm_bench_tasks.evaluation.plan import Plan
from vlm_bench_tasks.evaluation.replan import replanned
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.evaluation.verify import Again, count, drawn, elsewhere, noticed, played_again
from vlm_bench_tasks.result import Result

MOST_SHOWN = 20
"""Largest number of false claims, and of episodes that differ, to print."""
ALTERED = 0.1
"""Share of altered episodes for which the probability to notice one is told."""
_LONGEST = 60  # characters of a value


@dataclass(frozen=True)
class Verified:
    """What was found.

    Attributes:
        report: the report.
        claims: what it says that does not follow from its episodes; then nothing is played.
        versions: what differs here and may make states differ, in sentences.
        seed: from which the episodes were drawn.
        again: the episodes that were played again.
    """

    report: EvaluationReport
    claims: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    seed: int = 0
    again: tuple[Again, ...] = field(default=(), kw_only=True)

    @property
    def different(self) -> list[Again]:
        """The episodes that came out otherwise."""
        return [one for one in self.again if one.found.seen and one.differences]

    @property
    def lost(self) -> list[Again]:
        """The episodes that could not be observed this time."""
        return [one for one in self.again if not one.found.seen]

    @property
    def exit_code(self) -> int:
        """1 if the report does not verify, 2 if an episode could not be observed here, 0 if all is equal."""
        return 1 if self.claims or self.different else 2 if self.lost else 0

    @property
    def observable(self) -> int:
        """Number of episodes from which some are drawn."""
        return sum(one.seen for one in self.report.episodes)

    @property
    def altered(self) -> int:
        """Number of altered episodes for which `probability` is."""
        return count(self.observable, ALTERED)

    @property
    def probability(self) -> float:
        """Probability that one of `altered` altered episodes would have been played again, 0…1."""
        return noticed(self.observable, len(self.again) - len(self.lost), self.altered)

    def plain(self) -> dict[str, Any]:
        """Return what was found as a plain dictionary."""
        return {
            'policy': self.report.policy, 'decides': self.report.decides, 'verified': self.exit_code == 0, 'claims': list(self.claims),
            'differs_here': list(self.versions), 'seed': self.seed, 'episodes': len(self.report.episodes), 'observable': self.observable,
            'played': len(self.again), 'not_observed_here': [_key(one.reported) for one in self.lost],
            'different': [
                _key(one.reported) | {'fields': {name: {'reported': a, 'found': b} for name, (a, b) in one.differences.items()}}
                for one in self.different
            ],
            'altered': self.altered, 'probability': self.probability,
        }  # fmt: skip


def verify(path: Path, console: Console, *, share: float, seed: int | None, workers: int) -> Verified | None:
    """Check a report, play a share of its episodes again, and print and return what was found; None after an interruption.

    Raises:
        VlmBenchError: the report cannot be read, or its episodes cannot be played here.
    """
    if workers < 1:
        raise ConfigError(f'Episodes need at least one worker; found {workers}.')
    report = EvaluationReport.load(path)
    _say(console, _about(report))
    if claims := false_claims(report):
        found = Verified(report, claims)
        _listed(console, claims)
        _say(console, 'The report does not follow from its own episodes and conditions, so nothing was played.')
        return found
    _say(console, 'Its sums follow from its episodes, and its isolation, aids and the purpose of its seeds from its policy and tasks.')
    seed = secrets.randbelow(2**31) if seed is None else seed
    episodes = drawn(report, share, seed)
    plan = replanned(report)
    versions = _same_episodes(report, plan, console)
    if report.declared.protocol:
        check(report, report.declared.protocol, 'It')
    _say(console, f'Playing {len(episodes)} of its {len(report.episodes)} episodes again, drawn with --seed {seed}.')
    try:
        again = _again(plan, episodes, workers, console)
    except KeyboardInterrupt:
        _say(console, 'Interrupted. The same command with this --seed plays the same episodes.')
        return None
    found = Verified(report, versions=versions, seed=seed, again=again)
    _show(found, console)
    return found


def _same_episodes(report: EvaluationReport, plan: Plan, console: Console) -> tuple[str, ...]:
    """Return what differs here, in sentences, and print it.

    Raises:
        ConfigError: the episodes themselves are others here.
    """
    other, versions = elsewhere(report, plan)
    if other:
        raise ConfigError(
            f'Its episodes are others here (first the report, second this machine). {" ".join(other)} Verify it with the version of the '
            'bench that played it.'
        )
    if versions:
        _say(console, 'These differ here (first the report, second this machine), so states may differ, too:')
        _listed(console, versions)
    else:
        _say(console, 'The code of the bench and all versions are the same here.')
    return versions


def _again(plan: Plan, episodes: tuple[Result, ...], workers: int, console: Console) -> tuple[Again, ...]:
    with Progress(*COLUMNS, console=console) as progress:
        bar = Bar(progress, progress.add_task(plan.manner.policy, total=len(episodes)))
        return played_again(plan, episodes, lambda left: played(plan, left, workers), bar)


def _about(report: EvaluationReport) -> str:
    conditions = report.conditions
    tasks = conditions.tasks[0].task if len(conditions.tasks) == 1 else f'{len(conditions.tasks)} tasks'
    seeds = f'seeds {conditions.seeds[0]} to {conditions.seeds[1] - 1} ({conditions.purpose})'
    return f'{report.policy}: {len(report.episodes)} episodes of {tasks}, {seeds}; decides {report.decides[:16]}'


def _show(found: Verified, console: Console) -> None:
    for one in found.different[:MOST_SHOWN]:
        _say(console, f'differs: {_words(one.reported)}')
        for name, (reported, now) in one.differences.items():
            _say(console, f'  {name}: reported {_short(reported)}; now {_short(now)}')
    if len(found.different) > MOST_SHOWN:
        _say(console, f'and {len(found.different) - MOST_SHOWN} more episodes')
    for one in found.lost[:MOST_SHOWN]:
        _say(console, f'not observed here: {_words(one.reported)}: {"; ".join(one.found.causes)}')
    if unseen := len(found.report.episodes) - found.observable:
        _say(console, f'{unseen} episodes were unobservable when they were reported. They cannot be checked; count them as failures.')
    if unhashed := sum(not one.reported.state_hash for one in found.again):
        _say(console, f'{unhashed} of these episodes have no state hash in the report, so only their other fields were compared.')
    _say(console, _verdict(found))


def _verdict(found: Verified) -> str:
    if found.different:
        why = ' What differs here, named above, may be the reason.' if found.versions else ''
        return f'The report does not verify: {len(found.different)} of {len(found.again)} episodes came out otherwise.{why}'
    equal = len(found.again) - len(found.lost)
    told = f'{equal} of {found.observable} episodes were played again, all equal.'
    if found.lost:
        return f'{told} {len(found.lost)} more could not be observed here, so the report is not verified. Try again.'
    if equal == found.observable:
        return told
    chance = f'a probability of {found.probability:.3f} or more'
    return f'{told} Had {found.altered} or more of the {found.observable} been altered, this would have been seen with {chance}.'


def _listed(console: Console, sentences: tuple[str, ...]) -> None:
    for said in sentences[:MOST_SHOWN]:
        _say(console, f'- {said}')
    if len(sentences) > MOST_SHOWN:
        _say(console, f'- and {len(sentences) - MOST_SHOWN} more')


def _say(console: Console, text: str) -> None:
    """Print text of any source on one line."""
    console.print(''.join(one if one.isprintable() else ' ' for one in text), highlight=False, markup=False)


def _short(value: Any) -> str:
    text = str(value) or 'nothing'
    return text if len(text) <= _LONGEST else f'{text[:_LONGEST]}…'


def _words(one: Result) -> str:
    return ' '.join(map(str, one.key))


def _key(one: Result) -> dict[str, Any]:
    return dict(zip(('task', 'axis', 'split', 'seed'), one.key, strict=True))
