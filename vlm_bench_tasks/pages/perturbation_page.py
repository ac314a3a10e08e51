"""The perturbations page of docs/: every kind with its unit, read from the code, and the presets of config/."""

from vlm_bench_sim.core.perturbation import Perturbation, kinds
from vlm_bench_tasks import settings
from vlm_bench_tasks.pages.tables import table

_INTRODUCTION = """\
A perturbation makes an episode harder than its task says. None is active by default. An active one is named in the report under
`perturbations`, in the bag's metadata and in the episode that the bag holds. Reports with different perturbations are not comparable.

```
.venv/bin/vlm-bench run --perturb lohoravens
.venv/bin/vlm-bench run --perturb pixel_noise=3 --perturb drop_rate=0.1
.venv/bin/vlm-bench up --perturb colosseum,table_height=0
ros2 launch vlm_bench_sim bench.launch.py perturb:=action_noise=0.0025
```

A preset stands for the sizes below. If a kind is named twice, the later size counts. Over ROS, the bench's perturbation holds for every
episode without its own (`StartEpisode.perturbation`, the JSON of a `Perturbation`). A real arm refuses all of them.

![one episode, unperturbed and perturbed](gallery/perturbations.jpg)

## Kinds"""

_RULES = """\
All randomness comes from the episode's seed. A random value depends only on the seed, the kind and the place (the camera and physics
step of a picture, the control period of a command or a drop, the name of a prop), not on the order of draws. It therefore does not matter
which cameras are rendered, how often, or which nodes subscribe. One kind does not change another. A run over ROS has the same state
hashes as the run in process.

- **Pictures**: every channel of every pixel has noise of its own, rounded and kept within 0…255. So has every measured depth; a missing
  depth stays 0. Segmentation and boxes have no noise.
- **Commands**: a trajectory for the arm, whoever planned it, is bent smoothly so that its end is off by the offset, as far as the arm
  reaches: by a half or a quarter of it if all of it is out of reach (at 0.1 m one command in 20 over the table with the Panda, at
  0.03 m none of 200). The tool is not turned. The recorded command is the one that the policy sent; the applied offset is an event
  (`DISPLACED`) of the control period in which the command began. The gripper is not displaced.
- **Drops**: with a probability of 1 − (1 − p)^0.05 in each control period with something in the hand, fingers open fully and cups let go.
  Each is an event (`DROPPED`), and `vlm-bench run` and `judge` count them. A policy sees an open gripper and an empty hand, and may take
  the prop again.
- **Cameras** keep their offset for a whole episode, those on the arm too. `/tf_static` holds their true poses. A policy that reads the
  frames is not misled; a policy trained on the pictures is.
- **Light**: strength up or down, each channel of the color down. Its direction stays.
- **Patterns** are those that no prop of the scene has, in a lighter or darker shade of the prop's own color. Words for colors and
  patterns therefore still refer to the same props.
- **Distractors** have other nouns, and stand clear of all props and of the places that the goal names. They are drawn again until every
  reference of the sentence means the same as before.
- **Mass and friction** change by a separate factor for each prop; friction also for the table.
- **Height**: the table goes up or down with everything on it; the robot's base stays where it is in the world, as if on its own foot.
  Pictures therefore show it above a lower table, and sunk into a higher one. In the simulator it is the same: base and table do not
  touch. Planners keep clear of the table where it is."""


def perturbations_page(head: str) -> str:
    """Return docs/perturbations.md; `head` is the first line of generated pages."""
    rows = [(f'`{kind.name}`', kind.unit or 'share', f'{kind.most:g}', kind.meaning) for kind in kinds()]
    presets = [(f'`{name}`', ', '.join(Perturbation(**sizes).labels)) for name, sizes in settings.perturbations().items()]
    parts = [
        '# Perturbations', head, _INTRODUCTION, table(('kind', 'unit', 'at most', 'its size is'), rows),
        '## Presets', 'From `config/perturbations.yaml`.', table(('preset', 'sizes'), presets), '## Rules', _RULES,
    ]  # fmt: skip
    return '\n\n'.join(parts) + '\n'
