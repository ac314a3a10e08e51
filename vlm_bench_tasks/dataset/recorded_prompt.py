"""The instruction that a bag holds, with its pictures as they were drawn."""

from vlm_bench_sim.bags.reader import Bag
from vlm_bench_sim.core.prompts import PromptImage
from vlm_bench_sim.render.png import pixels
from vlm_bench_sim.ros.names import INSTRUCTION
from vlm_bench_sim.ros.prompts import read_pngs

_IN_WORDS = ('', 'words')
"""What the custom_data of a bag without pictures says; bags from before there were any say nothing."""


def recorded_prompt(bag: Bag) -> tuple[PromptImage, ...]:
    """Return the pictures of a bag's instruction; none if it is in words.

    Raises:
        BagError: the bag is damaged.
        CommandError: a picture is damaged.
    """
    if bag.custom.get('prompt', '') in _IN_WORDS or INSTRUCTION.name not in bag.topics:
        return ()
    told = [read_pngs(message) for _, _, message in bag.messages(INSTRUCTION.name)]
    shown = next((each for each in told if each), ())  # with the aid subgoals, messages without pictures may come first
    return tuple(PromptImage(role, pixels(data), data) for role, data in shown)
