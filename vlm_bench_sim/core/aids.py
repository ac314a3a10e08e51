"""The aids that published protocols give a policy, by name. Reports list the aids in use, and a bench takes the same names."""

from collections.abc import Iterable

from vlm_bench_sim.core.errors import ConfigError, near

IDS_AID = 'segmentation'
SUBGOALS, SNAPPING, STOPPING, HAND, GRASP = 'subgoals', 'grasp_snapping', 'oracle_stop', 'gripper_state', 'given_grasp'
STEPS = 'steps'
GUIDING = frozenset((SUBGOALS, STEPS, STOPPING))
"""The aids that renew the instruction of a policy each control period."""
LENDING = frozenset((HAND, GRASP))
"""The aids that need the expert to play the episode beforehand."""

AIDS = {
    SUBGOALS: 'the instruction is the next part of the plan alone; the policy is reset with each part',
    STEPS: 'the instruction is the next step, named by a planner who knows the truth; the policy is reset with each',
    SNAPPING: 'a hand that closes within 5 cm and 10° of a grasp is first moved onto it',
    HAND: "the gripper does after each tool pose what the expert's does after its pose of that number, and nothing else",
    GRASP: 'the expert moves the robot up to its first grasp; the policy begins there',
    IDS_AID: 'the policy sees what each pixel of a picture shows',
    STOPPING: 'the policy is stopped when the goal holds, before it can undo it',
}
"""Each aid with its description, for the documentation."""


def read(words: Iterable[str]) -> tuple[str, ...]:
    """Return the named aids, sorted and without duplicates; each word may hold several names separated by commas.

    Raises:
        ConfigError: an aid does not exist, or two exclude each other.
    """
    found = {part.strip() for text in words for part in text.split(',') if part.strip()}
    for name in sorted(found):
        if name not in AIDS:
            raise ConfigError(f'There is no aid called {name!r}. {near(name, AIDS)}')
    if {SUBGOALS, STEPS} <= found:
        raise ConfigError(f'{SUBGOALS} and {STEPS} both tell the policy what to do next. Choose one of them.')
    return tuple(sorted(found))
