"""Fields of the pictures of an instruction, for /task/instruction and the service that draws them."""

from collections.abc import Iterable
from typing import Any

from vlm_bench_sim.core.prompts import PromptImage
from vlm_bench_sim.ros import fields


def prompt_fields(images: Iterable[PromptImage]) -> fields.Fields:
    """Return the fields `pictures` and `roles`; the pictures have no time stamp."""
    shown = tuple(images)
    return {'pictures': [fields.compressed_image(one.png, form='png') for one in shown], 'roles': [one.role for one in shown]}


def read_pngs(message: Any) -> tuple[tuple[str, bytes], ...]:
    """Return role and png file of each picture of a message; a picture without a role has the role ''."""
    roles = [*message.roles, *[''] * len(message.pictures)]
    return tuple((str(role), bytes(picture.data)) for role, picture in zip(roles, message.pictures, strict=False))
