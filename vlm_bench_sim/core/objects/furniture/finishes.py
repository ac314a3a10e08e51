"""Finishes of furniture: colors of body, fronts and handles, with or without a grain."""

from dataclasses import dataclass

from vlm_bench_sim.core.looks import Color, Texture


@dataclass(frozen=True)
class Finish:
    """The look of a piece of furniture.

    Attributes:
        body: color of the fixed parts.
        front: color of the moving parts.
        metal: color of handles.
        grain: pattern over body and front; None if both are painted.
        painted: which of the two is painted all the same, 'body' or 'front'; '' for neither.
    """

    body: Color
    front: Color
    metal: Color
    grain: Texture | None = None
    painted: str = ''

    def texture(self, *, front: bool) -> Texture | None:
        """Return the pattern over the front or the body, if there is one."""
        return None if self.painted == ('front' if front else 'body') else self.grain


def _grain(*rgb: float) -> Texture:
    return Texture('wood', Color('grain', (rgb[0], rgb[1], rgb[2])), 0.12)


_STEEL, _BRASS, _IRON = Color('steel', (0.66, 0.68, 0.70)), Color('brass', (0.80, 0.63, 0.32)), Color('iron', (0.22, 0.23, 0.25))

FINISHES = {
    'oak': Finish(Color('oak', (0.68, 0.50, 0.32)), Color('oak', (0.79, 0.61, 0.41)), _IRON, _grain(0.62, 0.45, 0.28)),
    'walnut': Finish(Color('walnut', (0.38, 0.25, 0.16)), Color('walnut', (0.50, 0.34, 0.22)), _BRASS, _grain(0.33, 0.21, 0.13)),
    'white': Finish(Color('white', (0.80, 0.80, 0.78)), Color('white', (0.92, 0.92, 0.90)), _STEEL),
    'sage': Finish(Color('sage', (0.50, 0.58, 0.50)), Color('sage', (0.61, 0.69, 0.60)), _BRASS),
    'slate': Finish(Color('slate', (0.27, 0.33, 0.40)), Color('slate', (0.36, 0.43, 0.51)), _STEEL),
}
"""Finishes from which families draw for any model."""

_ASH = _grain(0.72, 0.63, 0.50)

OWN_FINISHES = {
    'ash': Finish(Color('ash', (0.76, 0.68, 0.55)), Color('ash', (0.84, 0.76, 0.63)), _IRON, _ASH),
    'navy': Finish(Color('navy', (0.13, 0.18, 0.32)), Color('navy', (0.17, 0.24, 0.42)), _BRASS),
    'cherry': Finish(Color('cherry', (0.51, 0.25, 0.15)), Color('cherry', (0.62, 0.31, 0.19)), _STEEL, _grain(0.50, 0.22, 0.12)),
    'cream': Finish(Color('cream', (0.84, 0.78, 0.62)), Color('cream', (0.95, 0.90, 0.76)), _BRASS),
    'walnut_on_white': Finish(FINISHES['white'].body, FINISHES['walnut'].front, _STEEL, FINISHES['walnut'].grain, 'body'),
    'mustard': Finish(Color('mustard', (0.70, 0.51, 0.15)), Color('mustard', (0.83, 0.63, 0.21)), _IRON),
    'charcoal': Finish(Color('charcoal', (0.15, 0.16, 0.17)), Color('charcoal', (0.23, 0.24, 0.26)), _STEEL),
    'teal_on_oak': Finish(FINISHES['oak'].body, Color('teal', (0.18, 0.47, 0.48)), _BRASS, FINISHES['oak'].grain, 'front'),
    'mahogany': Finish(Color('mahogany', (0.35, 0.10, 0.09)), Color('mahogany', (0.45, 0.13, 0.12)), _BRASS, _grain(0.32, 0.08, 0.07)),
    'sky_on_ash': Finish(Color('ash', (0.76, 0.68, 0.55)), Color('sky', (0.47, 0.67, 0.86)), _IRON, _ASH, 'front'),
    'lilac': Finish(Color('lilac', (0.55, 0.45, 0.63)), Color('lilac', (0.67, 0.57, 0.75)), _STEEL),
    'forest': Finish(Color('forest', (0.12, 0.30, 0.19)), Color('forest', (0.16, 0.40, 0.26)), _BRASS),
}
"""Finishes of single models of their own; `FINISHES` stays as it is, so that families that draw from it draw the same."""
