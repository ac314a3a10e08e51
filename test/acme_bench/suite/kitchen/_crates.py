"""Props of shapes of one's own."""

from vlm_bench_tasks.authoring import Draw, Prop
from vlm_bench_tasks.variation.draw import ONE, SOLIDS, TRAYS


def crate(draw: Draw) -> Prop:
    """Return a crate on the table."""
    (made,) = draw.props(['acme_bench.crate'], noun='crate', scales=[ONE], spacing=TRAYS)
    return made


def things(draw: Draw) -> tuple[Prop, ...]:
    """Return two things to tidy up, door stops or others."""
    kinds = draw.kinds('thing', 2)
    return draw.props(kinds, noun='thing', scales=[(0.9, 1.1)] * len(kinds), spacing=SOLIDS)
