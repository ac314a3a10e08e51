"""The instruction that a bag holds, with its pictures as they were drawn."""

from vlm_bench_sim.bags.reader import Bag
from vlm_bench_sim.core.prompts import PromptImage
from vlm_bench_sim.render.png import received
from vlm_bench_sim.ros.names import INSTRUCTION
from vlm_bench_sim.ros.prompts import read_pngs

_IN_WORDS = ('', 'words')
"""What the custom_data of a bag without pictures says; bags from before there were any say nothing."""


def recorded_prompt(bag: Bag) -> tuple[PromptImage, ...]:
    """Return the pictures of a bag's instruction; none if it is in words.

    Raises:
        BagError: the bag is damaged.
        CommandError: a picture is damaged or too large, or there are too many.
    """
    if bag.custom.get('prompt', '') in _IN_WORDS or INSTRUCTION.name not in bag.topics:
        return ()
    told = (message for _, _, message in bag.messages(INSTRUCTION.name))
    first = next((message for message in told if message.pictures), None)  # with the aid subgoals, others may come before
    return received(read_pngs(first)) if first else ()
