"""Invented words, and the examples that introduce them (ClevrSkills, NovelNoun and NovelAdjective)."""

from vlm_bench_sim.core.props import Prop
from vlm_bench_tasks.authoring import Exhibit
from vlm_bench_tasks.language.references import shape_noun
from vlm_bench_tasks.suite.clevrskills._objects import pair, thing
from vlm_bench_tasks.suite.clevrskills._props import Draw

NOUNS, ADJECTIVES = ('dax', 'blicket', 'wug', 'zup'), ('daxer', 'blicker', 'modier', 'kobar')
FACTORS = (0.5, 0.75, 1.5)
"""How many times as large a thing is as another to which the adjective does not apply. ClevrSkills' 0.3 is too small for a cup."""


def two_nouns(draw: Draw) -> tuple[str, str]:
    """Return two different nouns."""
    first, second = (NOUNS[i] for i in draw.values.permutation(len(NOUNS))[:2])
    return first, second


def adjective(draw: Draw) -> tuple[str, float]:
    """Return an adjective, and the factor that it means in this episode."""
    return draw.one_of(*ADJECTIVES), FACTORS[int(draw.values.integers(len(FACTORS)))]


def compared(draw: Draw, word: str, factor: float, pairs: int) -> tuple[str, dict[str, Exhibit]]:
    """Return sentences that compare pairs of things of one shape and look, with a blank for each thing, and what fills them."""
    told, shown = [], dict[str, Exhibit]()
    looks = draw.pools.looks('top')
    kinds = draw.pools.kinds('primitive')
    for number in range(1, pairs + 1):
        kind, look = kinds[int(draw.looks.integers(len(kinds)))], looks[int(draw.looks.integers(len(looks)))]
        whole = thing('example', kind, look)
        one, other = pair(whole, factor)
        shown |= {f'a{number}': _exhibit(one), f'b{number}': _exhibit(other)}
        told.append(f'{{a{number}}} is {word} than {{b{number}}}.')
    return ' '.join(told), shown


def _exhibit(prop: Prop) -> Exhibit:
    return Exhibit(prop, f'the {prop.look.describe(shape_noun(prop.kind))} of {100 * max(prop.size):.3g} cm')
