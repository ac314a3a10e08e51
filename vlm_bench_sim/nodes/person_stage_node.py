"""The stage on a real arm: shows a person how to lay out the scene, and waits for a confirmation or refusal."""

import sys
import time
from math import degrees

from vlm_bench_sim import profiles
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.shapes import spoken
from vlm_bench_sim.core.symmetry import ANY
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.person import Person, Question, QuestionKind, Said
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.nodes.publishing.wanted_view import WantedView
from vlm_bench_sim.nodes.simulation.stage_server import StageServer
from vlm_bench_sim.ros import names

AGAIN_S = 1.0
_UPRIGHT = 0.99  # cosine of the tilt
PARAMETERS = {'robot': 'panda', 'camera': 'vlmbench:overhead', 'width': 512, 'height': 512, 'patience': 600.0}
"""`camera`: the downward-looking camera of a set; `patience`: wall-clock seconds to wait for the person."""


class PersonStageNode:
    """Serves LoadScene, for one scene at a time."""

    def __init__(self) -> None:
        self._node = BenchNode('person_stage_node', PARAMETERS)
        values = self._node.values
        self._profile, self._patience = profiles.robot(values['robot']), values['patience']
        cameras = profiles.cameras(values['camera'], values['width'], values['height'], robot=values['robot'])
        if len(cameras) != 1:
            raise ConfigError(f'{values["camera"]!r} names {len(cameras)} cameras. Name one that looks down, such as vlmbench:overhead.')
        self._view, self._person = WantedView(self._profile, cameras[0]), Person(self._node, patience=values['patience'])
        self._shown = 0.0
        self._stage = StageServer(self._node, robot=self._profile.name, lay=self._ask)
        self._node.subscribe(names.COLOR.camera(cameras[0].name), self._view.see)

    def spin_once(self) -> None:
        """Handle pending callbacks, and refresh the picture while the person works."""
        self._node.spin_once(0.1)
        self._person.turn()
        if self._stage.pending and self._view.live and time.monotonic() - self._shown > AGAIN_S:
            self._shown = time.monotonic()
            self._person.show(self._view.picture())

    def close(self) -> None:
        """Free the node."""
        self._person.withdraw()
        self._node.close()

    def _ask(self, scene: Scene, token: str) -> None:
        picture = self._view.draw(scene)
        self._person.ask(Question(token, QuestionKind.LAY_TABLE, text=in_words(scene, self._profile), picture=picture), self._heard)

    def _heard(self, said: Said, reason: str) -> None:
        if said is Said.YES:
            self._stage.laid(self._view.renderer_string)
        elif said is Said.NOTHING:
            self._stage.refused(f'The person has not answered within {self._patience:g} s. Is `vlm-bench person` running?')
        else:
            self._stage.refused(f'The person did not lay the table: {reason or "no reason was given"}.')


def in_words(scene: Scene, profile: RobotProfile) -> str:
    """Return the instructions to a person: each prop with its number in the picture and its place, in cm and degrees."""
    lines = [
        f'{number}. {prop.color.name} {spoken(prop.kind)} {" × ".join(f"{100 * v:.1f}" for v in prop.size)} cm, '
        f'at x {100 * prop.pose.position[0]:.1f}, y {100 * prop.pose.position[1]:.1f} cm{_turned(prop)}'
        for number, prop in enumerate(scene.props, 1)
    ]
    joints = ', '.join(f'{degrees(q):.0f}' for q in scene.robot.arm(profile))
    return '\n'.join([
        f'Lay the table like this, with nothing else on it, and move the robot to its initial position: joints at {joints}°. Is it done?',
        'x is away from the robot and y to its left, from its base to the middle of the thing; the lines are 10 cm apart.',
        *lines,
    ])  # fmt: skip


def _turned(prop: Prop) -> str:
    """Return by how much a prop is turned about the upright, as little as its shape shows; '' if nobody sees a turn."""
    if abs(prop.pose.rotation[2, 2]) < _UPRIGHT:
        return ', lying as the picture shows'
    order = prop.symmetry.orders[2]
    if order == ANY:
        return ''
    least = 360 / order
    turn = degrees(prop.pose.yaw) % least
    return f', turned by {round(turn - least if turn > least / 2 else turn)}°'


def main() -> None:
    """Run the node."""
    sys.exit(run(PersonStageNode))


if __name__ == '__main__':
    main()
