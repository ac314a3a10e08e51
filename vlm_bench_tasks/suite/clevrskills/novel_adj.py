"""Put the object of two to which an invented adjective applies on a base (ClevrSkills, NovelAdjective)."""

from vlm_bench_tasks.authoring import ByAdjective, Episode, On, Task, say
from vlm_bench_tasks.suite.clevrskills._family import L1
from vlm_bench_tasks.suite.clevrskills._steps import Draw
from vlm_bench_tasks.suite.clevrskills._words import adjective, compared


def build(draw: Draw) -> Episode:
    word, factor = adjective(draw)
    (base,) = draw.things(1, 'base', looks='base', noun='base')
    item, other = draw.copies(factor)
    told, examples = compared(draw, word, factor, draw.whole(1, 3))
    return Episode(
        scene=draw.table(base, item, other),
        goal=On(item, base),
        alternatives=(On(item, base), On(other, base)),
        instruction=say(
            f'{told} Put {{item}} on {{base}}.',
            f'{told} Carry {{item}} to {{base}} and set it down there.',
            f'{told} {{base}} is where {{item}} belongs.',
            f'{told} Let {{item}} rest on {{base}}.',
            f'{told} Take {{item}} and place it on {{base}}.',
            item=ByAdjective(item.name, word, factor),
            base=draw.ref(base),
            **examples,
        ),
    )


TASK = Task(build, axes=('look',), horizon=60.0, level='L1', due=L1, revision=2)
