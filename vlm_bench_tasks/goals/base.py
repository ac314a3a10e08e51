"""What every goal can answer."""

from abc import ABC, abstractmethod

from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import Snapshot


class Goal(ABC):
    """A frozen description of what shall become true. It remembers nothing: memory over time is the monitor's.

    A pose or a box among its fields is in the world, on the table: where a perturbation raises the table, it is raised too.
    """

    @property
    def parts(self) -> 'tuple[Goal, ...]':
        """The goals that this one is made of."""
        return ()

    @abstractmethod
    def holds(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether it is true now, as far as the two snapshots show."""

    def happened(self, now: Snapshot, start: Snapshot) -> bool:
        """Return whether it was true at any physics step since the snapshot before `now`, as far as a snapshot shows that."""
        return self.holds(now, start)

    @abstractmethod
    def words(self) -> str:
        """Say the goal as a clause, for example: the red cube is inside the blue container."""

    def leaves(self) -> 'tuple[Leaf, ...]':
        """Return the leaves, from left to right."""
        return tuple(leaf for part in self.parts for leaf in part.leaves())

    def props(self) -> tuple[Prop, ...]:
        """Return the props that the goal names, each once."""
        return tuple({prop.name: prop for part in self.parts for prop in part.props()}.values())

    def joints(self) -> tuple[str, ...]:
        """Return the joints of furniture that the goal names, by full name, each once."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.joints()))

    def matter(self) -> tuple[str, ...]:
        """Return the groups of beads and patches of dirt that the goal names, each once."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.matter()))


class Leaf(Goal):
    """A goal that is read off the snapshots directly.

    Attributes:
        SCALE: the distance, in the leaf's own unit, at which the reward has fallen to 1/e.
        NEEDS_CONTACTS: True where it reads who touches or holds what, which a tracker of poses does not see.
    """

    SCALE = 0.2
    NEEDS_CONTACTS = False

    @abstractmethod
    def distance(self, now: Snapshot, start: Snapshot) -> float:
        """Return how far it is from holding, in the leaf's own unit; 0 where nothing but a release is missing."""

    @abstractmethod
    def props(self) -> tuple[Prop, ...]:
        """Return the props that the leaf names, each once."""

    def leaves(self) -> 'tuple[Leaf, ...]':
        """Return the leaf itself."""
        return (self,)


def called(prop: Prop) -> str:
    """Return what a report calls the prop, for example: the red cube."""
    return f'the {prop.color.name} {prop.noun}'
