"""The number that an episode's goal asks for, and what else a result tells of an episode before anybody plays it."""

from dataclasses import asdict, dataclass

from vlm_bench_tasks import catalogue
from vlm_bench_tasks.episode import Episode


@dataclass(frozen=True)
class GoalNumber:
    """The number that a goal asks for: see the fields of these names of `result.Result`."""

    goal_number: float
    from_seen: float
    extrapolates: bool
    end_stop: bool


def goal_number(built: Episode) -> GoalNumber | None:
    """Return the number that an episode's goal asks for, and its distance from those of the base split; None if it asks for none."""
    leaf = next((leaf for leaf in built.goal.leaves() if leaf.number is not None), None)
    if leaf is None or leaf.number is None or built.task not in catalogue.tasks():
        return None
    splits_of = catalogue.pools(built.task)
    seen = splits_of.pools[splits_of.base].goal.get(built.task.partition('/')[2])
    if not seen:
        return None
    number = round(leaf.number, 6)
    nearest = min(abs(number - one) for one in seen)
    return GoalNumber(number, round(nearest, 6), extrapolates=not seen[0] <= number <= seen[-1], end_stop=leaf.end_stop)


def facts(built: Episode) -> dict[str, object]:
    """Return what a result tells of an episode before anybody plays it: its chance level, and the fields of its `GoalNumber`."""
    number = goal_number(built)
    return {'chance': 1 / (1 + len(built.alternatives))} | (asdict(number) if number else {})
