"""Prompts in numbers: how long the pictures of an instruction take, of every suite's tasks, once the renderer is open."""

from statistics import median, quantiles
from time import perf_counter

from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.prompts import PromptStudio
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.language.pictures import PICTURES

SEEDS = range(2000, 2010)


def report() -> list[str]:
    """Return the lines of the report: first all prompts with pictures together, then by the number of their pictures."""
    studios: dict[str, PromptStudio] = {}
    taken: dict[int, list[float]] = {}
    for name in catalogue.tasks():
        made_by = catalogue.task(name)
        if made_by.robot not in studios:
            profile = robot(made_by.robot)
            studios[made_by.robot] = PromptStudio(profile, Kinematics(profile))
        for seed in SEEDS if PICTURES in made_by.prompts else ():
            asked = catalogue.build(name, catalogue.splits(name)[0], seed, prompt=PICTURES).instruction.pictures
            studios[made_by.robot].open()
            begin = perf_counter()
            studios[made_by.robot].draw(asked)
            if asked:
                taken.setdefault(len(asked), []).append(1000 * (perf_counter() - begin))
    for studio in studios.values():
        studio.close()
    every = [ms for some in taken.values() for ms in some]
    return [
        f'{len(every)} prompts: {median(every):.0f} ms in the median, {quantiles(every, n=20)[-1]:.0f} ms at the 95th percentile, '
        f'{max(every):.0f} ms at most',
        *(f'{count:>2} pictures: {median(some):3.0f} ms in the median of {len(some)}' for count, some in sorted(taken.items())),
    ]
