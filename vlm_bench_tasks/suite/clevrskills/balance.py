"""Put all blocks of one look on a balance so that it stays level (ClevrSkills, BalanceScale)."""

from vlm_bench_tasks.authoring import Episode, Task, look_tile, say
from vlm_bench_tasks.suite.clevrskills._family import HARD
from vlm_bench_tasks.suite.clevrskills._scales import Draw, in_balance, split


def build(draw: Draw) -> Episode:
    scale = draw.scale()
    look, other = draw.some_looks('top', 2)
    meant, rest = draw.towers((draw.whole(2, 4), look), (2, other))
    blocks = look.describe('blocks', 'bright ' if other.words == look.darker else '')
    return Episode(
        scene=draw.table(*(block for towers in (meant, rest) for tower in towers for block in tower), mechanisms=(scale,)),
        goal=in_balance(meant, rest, scale),
        plan=split(meant, scale),
        alternatives=(split(meant, scale), split(rest, scale)),
        instruction=say(
            f'Place all the {blocks} on the scale while keeping it in balance.',
            f'Put all the {blocks} on the scale so that its beam is level in the end.',
            f'Lay all the {blocks} on the two plates, each plate as heavy as the other.',
            f'Both plates together should carry all the {blocks}, and neither may outweigh the other.',
            f'Bring the scale into balance with the {blocks}: use every one of them and nothing else.',
            'Place all the blocks with the texture {look} on the scale while keeping it in balance.',
            look=look_tile(look),
        ),
    )


TASK = Task(build, axes=('look',), horizon=150.0, level='L2', due=HARD, revision=2)
