"""Fields of the pictures of an instruction, for /task/instruction and the service that draws them."""

from collections.abc import Iterable
from typing import Any

from vlm_bench_sim.core.errors import CommandError, near, quoted
from vlm_bench_sim.core.prompts import MOST_PICTURES, ROLES, PromptImage
from vlm_bench_sim.ros import fields


def prompt_fields(images: Iterable[PromptImage]) -> fields.Fields:
    """Return the fields `pictures` and `roles`; the pictures have no time stamp."""
    shown = tuple(images)
    return {'pictures': [fields.compressed_image(one.png, form='png') for one in shown], 'roles': [one.role for one in shown]}


def read_pngs(message: Any) -> tuple[tuple[str, bytes], ...]:
    """Return role and png file of each picture of a message; a picture without a role has the role ''.

    Raises:
        CommandError: there are more pictures than an instruction may have, or more roles than pictures, or a role is unknown.
    """
    roles, found = [str(role) for role in message.roles], [bytes(picture.data) for picture in message.pictures]
    if len(found) > MOST_PICTURES:
        raise CommandError(f'An instruction has at most {MOST_PICTURES} pictures; found {len(found)}. Send fewer.')
    if len(roles) > len(found):
        raise CommandError(f'Each role belongs to a picture; found {len(roles)} roles and {len(found)} pictures. Send as many.')
    for role in roles:
        if role and role not in ROLES:
            raise CommandError(f'A picture of an instruction has no role {quoted(role)}. {near(role, ROLES)}')
    return tuple(zip([*roles, *[''] * (len(found) - len(roles))], found, strict=True))
