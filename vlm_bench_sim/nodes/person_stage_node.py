"""The stage on a real arm: shows a person how to lay out the scene, and waits for a confirmation or refusal."""

import sys
import time
from math import degrees
from typing import Any

from vlm_bench_sim import profiles
from vlm_bench_sim.core.codes import INCORRECT_STATE, OK
from vlm_bench_sim.core.engine import NO_ENGINE
from vlm_bench_sim.core.errors import ConfigError, VlmBenchError
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.nodes.base.answers import answer
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.person import Person, Question, QuestionKind, Said
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.nodes.publishing.wanted_view import WantedView
from vlm_bench_sim.nodes.simulation.load_scene_server import SCENE_INVALID, read_scene
from vlm_bench_sim.ros import driver, names
from vlm_bench_sim.ros.convert import message

PENDING, REFUSED = 102, 103
AGAIN_S = 1.0
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
        self._token, self._code, self._text, self._shown = '', OK, '', 0.0
        self._scene = Scene(())
        self._turned_away: dict[str, str] = {}  # by token: a repeated request may arrive after the next one
        self._scenes = self._node.publisher(names.SCENE)
        self._node.subscribe(names.COLOR.camera(cameras[0].name), self._view.see)
        self._node.service(names.LOAD_SCENE, self._serve)

    def spin_once(self) -> None:
        """Handle pending callbacks, and refresh the picture while the person works."""
        self._node.spin_once(0.1)
        self._person.turn()
        if self._code == PENDING and self._view.live and time.monotonic() - self._shown > AGAIN_S:
            self._shown = time.monotonic()
            self._person.show(self._view.picture())

    def close(self) -> None:
        """Free the node."""
        self._person.withdraw()
        self._node.close()

    def _serve(self, request: Any, response: Any) -> Any:
        if not request.token:
            return answer(response, SCENE_INVALID, 'An episode needs a token. Send a random one.')
        if request.token != self._token:
            missing = self._turned_away.get(request.token) or self._missing(list(request.participants))
            if missing:
                self._turned_away[request.token] = missing
                return answer(response, INCORRECT_STATE, missing)
            try:
                self._ask(read_scene(request.scene), request.token)
            except VlmBenchError as error:
                return answer(response, SCENE_INVALID, str(error))
        return answer(response, self._code, self._text)

    def _missing(self, participants: list[str]) -> str:
        """Return a text on the nodes that must be there before a person is asked but are missing; '' if none is."""
        for row, whose in ((names.JOINT_STATES, 'driver'), (names.WORLD_STATE, 'observer')):
            if not self._node.is_told(row):
                return f'No node publishes {row.name} yet. Start the {whose}, or wait.'
        deaf = sorted(set(participants) - self._node.listeners(names.WORLD_STATE))
        return f'{", ".join(deaf)} has not subscribed to the world state yet. Start it, or wait.' if deaf else ''

    def _ask(self, scene: Scene, token: str) -> None:
        picture = self._view.draw(scene)
        self._token, self._scene, self._code, self._text = token, scene, PENDING, 'A person is laying the table.'
        self._person.ask(Question(token, QuestionKind.LAY_TABLE, text=in_words(scene), picture=picture), self._heard)

    def _heard(self, said: Said, reason: str) -> None:
        if said is Said.YES:
            self._code, self._text = OK, ''
            drawn = self._view.renderer_string
            _, content = driver.scene(self._scene, token=self._token, robot=self._profile.name, renderer=drawn, engine=NO_ENGINE)
            self._scenes.publish(message(names.SCENE.type, content))
        elif said is Said.NOTHING:
            self._code, self._text = REFUSED, f'The person has not answered within {self._patience:g} s. Is `vlm-bench person` running?'
        else:
            self._code, self._text = REFUSED, f'The person did not lay the table: {reason or "no reason was given"}.'
        self._node.log.info(self._text or 'The table is laid.')


def in_words(scene: Scene) -> str:
    """Return the instructions to a person: each prop with its place, in cm and degrees."""
    lines = [
        f'- {prop.color.name} {prop.kind} {" × ".join(f"{100 * v:.1f}" for v in prop.size)} cm, '
        f'at x {100 * prop.pose.position[0]:.1f}, y {100 * prop.pose.position[1]:.1f} cm, turned by {degrees(prop.pose.yaw):.0f}°'
        for prop in scene.props
    ]
    return '\n'.join(['Lay the table like this, with nothing else on it, and move the robot to its initial position. Is it done?', *lines])


def main() -> None:
    """Run the node."""
    sys.exit(run(PersonStageNode))


if __name__ == '__main__':
    main()
