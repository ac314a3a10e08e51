"""The person who drives the robot, as bags name them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import CommandError, quoted

Device = Literal['keyboard', 'gamepad', 'handle', 'pointer']
DEVICES: tuple[str, ...] = get_args(Device)
MOST_LETTERS = 60
_NAME = re.compile(rf'[\w. -]{{0,{MOST_LETTERS}}}')


@serialisable
@dataclass(frozen=True)
class Operator:
    """Who drives, and with what.

    Attributes:
        name: pseudonym of the person; may be empty.
        devices: those used in the episode so far, sorted: keyboard, gamepad, handle (at the tool, in the picture), pointer (a place that
            was pointed at).
        mission: the mission that the person carries out; '': none.
        attempt: number of the attempt at it, from 1; 0: none.

    Raises:
        CommandError: a field is invalid.
    """

    name: str = ''
    devices: tuple[str, ...] = ()
    mission: str = ''
    attempt: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, 'devices', tuple(sorted({str(device) for device in self.devices})))
        for what, text in (('name', self.name), ('mission', self.mission)):
            if not isinstance(text, str) or not _NAME.fullmatch(text):
                allowed = f'at most {MOST_LETTERS} letters, digits, spaces, ., _ and -'
                raise CommandError(f'The {what} of an operator holds {allowed}; found {quoted(str(text))}.')
        if not set(self.devices) <= set(DEVICES):
            raise CommandError(f'An operator has the devices {", ".join(DEVICES)}; found {quoted(", ".join(self.devices))}.')
        if type(self.attempt) is not int or not 0 <= self.attempt < 1_000_000:
            raise CommandError(f'An attempt has a number from 0 to 999999; found {quoted(str(self.attempt))}.')


def told(operators: Sequence[Operator]) -> dict[str, str]:
    """Return the strings for a bag's `custom_data`: everybody who has driven, with what, and the mission that was said last."""
    if not operators:
        return {}
    names, devices = dict.fromkeys(one.name for one in operators), sorted({device for one in operators for device in one.devices})
    said = {'operator': ', '.join(names), 'devices': ' '.join(devices)}
    last = operators[-1]
    return said | ({'mission': last.mission, 'attempt': str(last.attempt)} if last.mission else {})
