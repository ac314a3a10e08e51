"""Put one object on a base, both by invented nouns that the sentence introduces (ClevrSkills, NovelNoun)."""

from vlm_bench_tasks.authoring import ByWord, Episode, On, Task, say
from vlm_bench_tasks.suite.clevrskills._family import L1
from vlm_bench_tasks.suite.clevrskills._props import Draw
from vlm_bench_tasks.suite.clevrskills._words import two_nouns


def build(draw: Draw) -> Episode:
    bases = draw.things(draw.whole(1, 3), 'base', looks='base', noun='base')
    items = draw.things(draw.whole(1, 3))
    item, base = items[0], bases[0]
    one, two = two_nouns(draw)
    return Episode(
        scene=draw.table(*bases, *items),
        goal=On(item, base),
        instruction=say(
            f'{{item}} is a {one} and {{base}} is a {two}. Put {{first}} on {{second}}.',
            f'We call {{item}} a {one} and {{base}} a {two}. Carry {{first}} to {{second}} and set it down on top.',
            f'{{item}} is a {one}. {{base}} is a {two}. Let {{first}} rest on {{second}}.',
            f'A {one} is {{item}}; a {two} is {{base}}. Take {{first}} and place it on {{second}}.',
            f'If {{item}} is a {one} and {{base}} is a {two}, then {{second}} is where {{first}} belongs.',
            item=draw.ref(item),
            base=draw.ref(base),
            first=ByWord(item.name, one),
            second=ByWord(base.name, two),
        ),
    )


TASK = Task(build, axes=('look', 'shape'), horizon=60.0, level='L1', due=L1, revision=2)
