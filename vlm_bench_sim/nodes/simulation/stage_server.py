"""LoadScene where no simulator lays out scenes: around a real arm somebody does, which takes time."""

from collections.abc import Callable
from typing import Any

from vlm_bench_sim.core.codes import INCORRECT_STATE, OK
from vlm_bench_sim.core.engine import NO_ENGINE
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.nodes.base.answers import answer
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.simulation.load_scene_server import SCENE_INVALID, read_scene
from vlm_bench_sim.ros import driver, names
from vlm_bench_sim.ros.convert import message

PENDING, REFUSED = 102, 103


class StageServer:
    """Serves LoadScene, for one scene at a time; whoever asks repeats the request until the table is laid.

    Args:
        node: the node that serves.
        robot: name of the robot's profile.
        lay: begins to lay out a scene of an episode's token; a VlmBenchError refuses it. `laid` or `refused` ends it.
    """

    def __init__(self, node: BenchNode, *, robot: str, lay: Callable[[Scene, str], None]) -> None:
        self._node, self._robot, self._lay = node, robot, lay
        self._token, self._code, self._text, self._scene = '', OK, '', Scene(())
        self._turned_away: dict[str, str] = {}  # by token: a repeated request may arrive after the next one
        self._scenes = node.publisher(names.SCENE)
        node.service(names.LOAD_SCENE, self._serve)

    @property
    def pending(self) -> bool:
        """True while a scene is being laid out."""
        return self._code == PENDING

    def laid(self, renderer: str) -> None:
        """Note that the table is laid; `renderer` is the name of the renderer that drew it for a person, or that draws it."""
        self._code, self._text = OK, ''
        _, content = driver.scene(self._scene, token=self._token, robot=self._robot, renderer=renderer, engine=NO_ENGINE)
        self._scenes.publish(message(names.SCENE.type, content))
        self._node.log.info('The table is laid.')

    def refused(self, why: str) -> None:
        """Note that the table will not be laid."""
        self._code, self._text = REFUSED, why
        self._node.log.info(why)

    def _serve(self, request: Any, response: Any) -> Any:
        if not request.token:
            return answer(response, SCENE_INVALID, 'An episode needs a token. Send a random one.')
        if request.token != self._token:
            missing = self._turned_away.get(request.token) or self._missing(list(request.participants))
            if missing:
                self._turned_away[request.token] = missing
                return answer(response, INCORRECT_STATE, missing)
            before = self._token, self._scene, self._code, self._text
            try:
                scene = read_scene(request.scene)
                self._token, self._scene, self._code, self._text = request.token, scene, PENDING, 'The table is being laid.'
                self._lay(scene, request.token)
            except VlmBenchError as error:
                self._token, self._scene, self._code, self._text = before
                return answer(response, SCENE_INVALID, str(error))
        return answer(response, self._code, self._text)

    def _missing(self, participants: list[str]) -> str:
        """Return a text on the nodes that must be there before the table is laid but are missing; '' if none is."""
        for row, whose in ((names.JOINT_STATES, 'driver'), (names.WORLD_STATE, 'observer')):
            if not self._node.is_told(row):
                return f'No node publishes {row.name} yet. Start the {whose}, or wait.'
        deaf = sorted(set(participants) - self._node.listeners(names.WORLD_STATE))
        return f'{", ".join(deaf)} has not subscribed to the world state yet. Start it, or wait.' if deaf else ''
