"""Verify a report: play a random share of its episodes again and compare everything that it says of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, comb
from typing import Any

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.campaign import PlayAll, Store, Watcher, carried_out
from vlm_bench_tasks.evaluation.compare import differences
from vlm_bench_tasks.evaluation.plan import Plan
from vlm_bench_tasks.evaluation.playing import Scored
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.result import Result
from vlm_bench_tasks.trial import Trial
from vlm_bench_tasks.variation.streams import Streams

_HASH = 'state_hash'


class Fresh(Store[Scored]):
    """Keeps nothing and knows nothing: every trial is played."""

    def known(self, trials: Sequence[Trial]) -> dict[Trial, Scored]:
        """Return nothing."""
        return {}

    def keep(self, trial: Trial, result: Scored) -> Scored:
        """Return the result as it is."""
        return result


@dataclass(frozen=True)
class Again:
    """An episode as the report tells it, and as it was played again."""

    reported: Result
    found: Result

    @property
    def differences(self) -> dict[str, tuple[Any, Any]]:
        """What was reported and what came now, by field. What an older report does not say, or a state hash that it lacks, is left out."""
        told = self.reported.model_fields_set - ({_HASH} if not self.reported.state_hash else set())
        ours, theirs = (one.model_dump(mode='json') for one in (self.reported, self.found))
        return {name: (ours[name], theirs[name]) for name in Result.model_fields if name in told and ours[name] != theirs[name]}


def drawn(report: EvaluationReport, share: float, seed: int) -> tuple[Result, ...]:
    """Return a random share of the observable episodes, at least one, in the order of the report; the same for the same seed.

    Raises:
        VlmBenchError: the share is not within 0 to 1, the seed is none, or no episode was observable.
    """
    if not 0.0 < share <= 1.0:
        raise ConfigError(f'--share is a number above 0, up to 1; found {share:g}. Give one such as 0.1.')
    stream, seen = Streams('', '', seed).generator('verify'), [one for one in report.episodes if one.seen]
    if not seen:
        raise ConfigError('None of its episodes was observable, so there is nothing to play again.')
    return tuple(seen[index] for index in sorted(stream.choice(len(seen), size=count(len(seen), share), replace=False)))


def count(total: int, share: float) -> int:
    """Return a share of so many, rounded up."""
    return min(total, ceil(round(share * total, 9)))


def noticed(total: int, played: int, altered: int) -> float:
    """Return the probability that at least one of the altered episodes is among those that are played again, 0…1 (hypergeometric)."""
    return 1.0 - comb(total - altered, played) / comb(total, played)


def elsewhere(report: EvaluationReport, plan: Plan) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return in sentences what makes other episodes of those of the report here, and then what may make their states differ."""
    theirs, ours = report.conditions, plan.conditions
    other = tuple(differences(theirs, ours.model_copy(update={'versions': theirs.versions})))
    versions = [said for said in differences(theirs, ours, across=True) if said not in other]
    code = f'It was played by the bench code {report.bench or "of nobody knows which version"}; this is the bench code {plan.bench}.'
    return other, (*versions, *([code] if report.bench != plan.bench else []))


def played_again(plan: Plan, episodes: Sequence[Result], play_all: PlayAll[Scored], watcher: Watcher[Scored]) -> tuple[Again, ...]:
    """Play episodes again, as an evaluation does.

    Raises:
        VlmBenchError: the policy cannot be created.
    """
    wanted = {one.key: one for one in episodes}
    trials = [trial for trial in plan.trials if trial.key in wanted]
    scored = carried_out(trials, Fresh(), play_all, watcher)
    return tuple(Again(wanted[trial.key], scored[trial].result) for trial in trials)
