"""A reporter that knows the ground truth: where things are, and whether a step succeeded, each in one sentence."""

from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.agents.moves import named, spoken, understood
from vlm_bench_tasks.agents.roles import FAILED, SUCCEEDED, Problem, StepError, StepFault, StepReport
from vlm_bench_tasks.agents.whereabouts import Stand, whereabouts
from vlm_bench_tasks.policy import Observation

UNDER = ' under '


class TruthReporter:
    """Reports from snapshots.

    Args:
        scene: the scene.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def report(self, step: str, before: Observation, after: Observation) -> StepReport | Problem:
        """Return the result of a step; for no step (''), only what is seen."""
        if before.truth is None or after.truth is None:
            return Problem(
                StepFault.EMPTY,
                'The truth reporter needs the ground truth, but the observation has none. Provide it, or use a vision reporter.',
            )
        return StepReport(seen(self._scene, after.truth), achieved(step, self._scene, before.truth, after.truth) if step else '')


class FirstGlance:
    """Returns another reporter's report before the first step, and empty reports after that.

    Args:
        reporter: the reporter for the first report.
    """

    def __init__(self, reporter: TruthReporter) -> None:
        self._reporter = reporter

    def report(self, step: str, before: Observation, after: Observation) -> StepReport | Problem:
        """Return what is seen before the first step, and an empty report afterwards."""
        return StepReport() if step else self._reporter.report(step, before, after)


def seen(scene: Scene, now: Snapshot) -> str:
    """Return where things are as one sentence. Towers are listed from the lowest: a red block under a blue block in the green zone."""
    stands = whereabouts(scene, now)
    above: dict[str, str] = {}
    for name, stand in stands.items():
        if stand.on and _carries(stands[stand.on]):
            above.setdefault(stand.on, name)
    uppers = set(above.values())
    entries = [_entry(name, above, scene, stands) for name in stands if name not in uppers]
    return f'I see {"; ".join(entries)}.' if entries else 'I see nothing.'


def achieved(step: str, scene: Scene, before: Snapshot, after: Snapshot) -> str:
    """Return whether a step succeeded, as one sentence."""
    try:
        move = understood(step, scene, before)
    except StepError as error:
        return f'{FAILED}: {str(error)[0].lower()}{str(error)[1:]}'
    stands = whereabouts(scene, after)
    where = f'{named(move.item, scene).words()} is {spoken(stands[move.item.name], scene, stands)}'
    return f'{SUCCEEDED if move.done(scene, after) else FAILED}: {where}.'


def _carries(stand: Stand) -> bool:
    """Return whether a thing forms a tower with what stands on it."""
    return not stand.prop.ghost and stand.prop.solid.cavity is None


def _entry(foot: str, above: dict[str, str], scene: Scene, stands: dict[str, Stand]) -> str:
    tower = [foot]
    while tower[-1] in above and above[tower[-1]] not in tower:
        tower.append(above[tower[-1]])
    words = [named(stands[name].prop, scene, sole=False).words() for name in tower]
    return f'{UNDER.join(words)} {spoken(stands[foot], scene, stands)}'
