"""A goal word of one's own, and the skill for it."""

from dataclasses import dataclass

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.base import Leaf, called
from vlm_bench_tasks.goals.placing import Inside
from vlm_bench_tasks.skills.carry import put
from vlm_bench_tasks.skills.skill import Skill, SkillContext, skill_for

MOVED = 0.02  # m


@serialisable
@dataclass(frozen=True)
class Packed(Leaf):
    """The prop is inside the container, and the container stands where it stood."""

    prop: Prop
    container: Prop

    NEEDS_CONTACTS = True

    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether the prop is inside, and the container in its place."""
        name = self.container.name
        return self._inside.holds(now, start) and now.pose(name).distance(start.pose(name)) < MOVED

    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return how far the prop sticks out of the container, m."""
        return self._inside.distance(now, start)

    def words(self) -> str:
        """Return the goal as a clause."""
        return f'{called(self.prop)} is packed into {called(self.container)}'

    def props(self) -> tuple[Prop, ...]:
        """Return the prop and its container."""
        return self.prop, self.container

    @property
    def _inside(self) -> Inside:
        return Inside(self.prop, self.container)


@skill_for.register
def pack(goal: Packed, now: Snapshot, context: SkillContext) -> Skill:
    """Carry the prop into the container."""
    return (yield from put(Inside(goal.prop, goal.container), now, context))
