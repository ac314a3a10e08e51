"""The perturbations page of docs/: every kind with its unit, read from the code, and the presets of config/."""

from collections.abc import Iterable

from vlm_bench_sim.core.perturbation import Perturbation, kinds
from vlm_bench_tasks import settings

_INTRODUCTION = """\
A perturbation makes an episode harder than its task says. None is on unless it is asked for; then it stands in the report under
`perturbations`, in the bag's metadata and in the episode that the bag holds. Reports with different perturbations are not comparable.

```
vlm-bench run --perturb lohoravens
vlm-bench run --perturb pixel_noise=3 --perturb drop_rate=0.1
vlm-bench up --perturb colosseum,table_height=0
ros2 launch vlm_bench_sim bench.launch.py perturb:=action_noise=0.0025
```

A preset stands for the sizes below; what is named later counts. Over ROS a bench's perturbation holds for every episode that does not bring
its own (`StartEpisode.perturbation`, the JSON of a `Perturbation`). A real arm refuses all of them.

![one episode, unperturbed and perturbed](gallery/perturbations.jpg)

## Kinds"""

_RULES = """\
All chance comes from the episode's seed. It is counted, not drawn: what happens at a place depends on the seed, the kind and the place
alone (the camera and physics step of a picture, the control period of a command or a drop, the name of a prop). So it does not matter
which cameras are rendered, how often, or who listens; one kind does not change another; and a run over ROS equals the run in process,
hash by hash.

- **Pictures**: every channel of every pixel has noise of its own, rounded and kept within 0…255. Depths that are seen get theirs; what is
  unseen stays 0. Segmentation and boxes are the bench's word and have none.
- **Commands**: a trajectory for the arm, whoever planned it, is bent smoothly so that its end is off by the offset, as far as the arm
  reaches: by a half or a quarter of it where all of it is out of reach (at 0.1 m one command in 20 over the table with the Panda, at
  0.03 m none of 200). The tool is not turned. What was commanded is what the policy sent; the offset that was applied is an event
  (`DISPLACED`) of the control period in which the command began. The gripper is not displaced.
- **Drops**: with a probability of 1 − (1 − p)^0.05 in each control period with something in the hand, fingers open fully and cups let go.
  Each is an event (`DROPPED`), and `vlm-bench run` and `judge` count them. A policy sees an open gripper and an empty hand, and may take
  the prop again.
- **Cameras** stand where they stand for a whole episode, those on the arm included. `/tf_static` tells where that really is, so a policy
  that asks for the frames is not misled; one that was trained on the pictures is.
- **Light**: strength up or down, each channel of the color down. Its direction stays.
- **Patterns** are such as no prop of the scene wears, in a lighter or darker shade of the prop's own color, so that words for colors
  and for patterns go on fitting what they fitted.
- **Distractors** are of other nouns, stand clear of everything and of the places that the goal names, and are drawn until every reference
  of the sentence means just what it meant.
- **Mass and friction** change by a factor of each prop's own; friction also that of the table.
- **Height**: the table goes up or down with everything on it; the robot's base stays where it is in the world, as if on a foot of its own.
  So pictures show it above a table that is lower, and sunk into one that is higher: that is how it is in the simulator, where base and
  table do not touch. Planners keep clear of the table where it is."""


def perturbations_page(head: str) -> str:
    """Return docs/perturbations.md; `head` is the first line of generated pages."""
    rows = [(f'`{kind.name}`', kind.unit or 'share', f'{kind.most:g}', kind.meaning) for kind in kinds()]
    presets = [(f'`{name}`', ', '.join(Perturbation(**sizes).labels)) for name, sizes in settings.perturbations().items()]
    parts = [
        '# Perturbations', head, _INTRODUCTION, _table(('kind', 'unit', 'at most', 'its size is'), rows),
        '## Presets', 'Of `config/perturbations.yaml`.', _table(('preset', 'sizes'), presets), '## Rules', _RULES,
    ]  # fmt: skip
    return '\n\n'.join(parts) + '\n'


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return '\n'.join('| ' + ' | '.join(line) + ' |' for line in (head, ('---',) * len(head), *rows))
