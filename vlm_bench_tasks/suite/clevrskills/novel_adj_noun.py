"""Put one of two objects on a base by invented nouns, and an invented adjective (ClevrSkills, NovelAdjectiveNoun)."""

from vlm_bench_tasks.authoring import ByAdjective, ByWord, Episode, Exhibit, On, Task, say
from vlm_bench_tasks.suite.clevrskills._family import L1
from vlm_bench_tasks.suite.clevrskills._steps import Draw
from vlm_bench_tasks.suite.clevrskills._words import adjective, compared, two_nouns


def build(draw: Draw) -> Episode:
    word, factor = adjective(draw)
    bases = draw.things(draw.whole(1, 2), 'base', looks='base', noun='base')
    item, other = draw.copies(factor)
    one, two = two_nouns(draw)
    told, examples = compared(draw, word, factor, draw.whole(1, 3))
    kinds = f'This is a {one}: {{kind}}. This is a {two}: {{base}}.'
    return Episode(
        scene=draw.table(*bases, item, other),
        goal=On(item, bases[0]),
        alternatives=tuple(On(prop, base) for base in bases for prop in (item, other)),
        instruction=say(
            f'{kinds} {told} Put {{item}} on {{second}}.',
            f'{kinds} {told} Carry {{item}} to {{second}} and set it down there.',
            f'{told} {kinds} {{second}} is where {{item}} belongs.',
            f'{kinds} {told} Let {{item}} rest on {{second}}.',
            f'{told} {kinds} Take {{item}} and place it on {{second}}.',
            kind=Exhibit(other, f'the {other.look.describe(other.noun)}'),
            base=draw.ref(bases[0]),
            item=ByAdjective(item.name, word, factor, one),
            second=ByWord(bases[0].name, two),
            **examples,
        ),
    )


TASK = Task(build, axes=('look',), horizon=60.0, level='L1', due=L1, revision=2)
