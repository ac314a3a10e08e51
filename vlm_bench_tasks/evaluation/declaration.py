"""What an evaluation is declared to be: a published protocol, and what the policy was trained on. The bench cannot check the latter."""

from vlm_bench_sim.core.errors import ConfigError, quoted
from vlm_bench_tasks.result import Frozen

NOTHING = 'nothing'
TRAINED, FINE_TUNED, ZERO_SHOT = 'trained', 'fine-tuned', 'zero-shot'


class Declaration(Frozen):
    """The declared conditions of a report.

    Attributes:
        protocol: name of the published protocol; '': none.
        variant: the table of its paper.
        trained_on: levels of the tasks that the policy was trained on; None if not declared, as where tasks have no levels.
        fine_tuned_on: levels that it was fine-tuned on afterwards.
    """

    protocol: str = ''
    variant: str = ''
    trained_on: tuple[str, ...] | None = None
    fine_tuned_on: tuple[str, ...] = ()

    def condition(self, level: str) -> str:
        """Return how the policy meets tasks of a level: trained, fine-tuned or zero-shot; '' if not declared."""
        if self.trained_on is None or not level:
            return ''
        return TRAINED if level in self.trained_on else FINE_TUNED if level in self.fine_tuned_on else ZERO_SHOT

    @property
    def training(self) -> str:
        """What the policy was trained on, in words; '' if not declared."""
        if self.trained_on is None:
            return ''
        more = f', fine-tuned on {"+".join(self.fine_tuned_on)}' if self.fine_tuned_on else ''
        return f'trained on {"+".join(self.trained_on) or NOTHING}{more}'

    def __str__(self) -> str:
        """Return the declaration in words; '' if there is none."""
        return ', '.join(filter(None, (f'protocol {self.protocol} ({self.variant})' if self.protocol else '', self.training)))


UNDECLARED = Declaration()
"""Nothing is declared."""


def read_trained_on(text: str, levels: tuple[str, ...]) -> tuple[str, ...]:
    """Return the levels that 'L0+L1' names, or none for 'nothing'. A policy trains on a level after all lower ones.

    Raises:
        ConfigError: the text is none of these.
    """
    known = {NOTHING: (), **{'+'.join(levels[: count + 1]): levels[: count + 1] for count in range(len(levels))}}
    if text not in known:
        raise ConfigError(
            f'--trained-on takes {", ".join(known)}; found {quoted(text)}. Name all levels from the first, in order; levels that came '
            'later go to --fine-tuned-on.'
        )
    return known[text]


def read_fine_tuned_on(text: str, levels: tuple[str, ...], trained_on: tuple[str, ...]) -> tuple[str, ...]:
    """Return the levels that 'L1+L2' names; none for ''.

    Raises:
        ConfigError: a level is unknown, repeated, out of order or trained on already, or nothing was trained before.
    """
    found = tuple(text.split('+')) if text else ()
    if found != tuple(level for level in levels if level in found):
        raise ConfigError(f'--fine-tuned-on takes levels in order, such as {levels[-1]} (of {", ".join(levels)}); found {quoted(text)}.')
    if found and not trained_on:
        raise ConfigError(f'--fine-tuned-on {text} needs a policy that was trained before. Name the levels with --trained-on.')
    if both := [level for level in found if level in trained_on]:
        raise ConfigError(f'--fine-tuned-on {text} names {", ".join(both)}, which --trained-on holds already. Name further levels.')
    return found
