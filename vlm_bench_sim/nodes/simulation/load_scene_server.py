"""LoadScene: lays out a scene once all required participants are present."""

from collections.abc import Callable
from typing import Any

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import INCORRECT_STATE, OK
from vlm_bench_sim.core.errors import SceneError, VlmBenchError
from vlm_bench_sim.core.lent import Lent, read_lent
from vlm_bench_sim.core.perturbation import Perturbation, SeededPerturbation
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.nodes.base.answers import answer
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.lockstep.barrier_server import BarrierServer
from vlm_bench_sim.ros import names

SCENE_INVALID = 101


class LoadSceneServer:
    """Serves LoadScene.

    Args:
        node: the simulator's node.
        barrier: knows who has joined.
        listeners: returns the names of the nodes that subscribe to the world state.
        load: lays out a scene with token, participants, perturbation and gripper commands for the aid gripper_state, and returns the hash
            of the settled state.
    """

    def __init__(
        self,
        node: BenchNode,
        barrier: BarrierServer,
        *,
        listeners: Callable[[], frozenset[str]],
        load: Callable[[Scene, str, list[str], SeededPerturbation, Lent], str],
    ) -> None:
        self._barrier, self._listeners, self._load = barrier, listeners, load
        self._loaded = ('', '')
        node.service(names.LOAD_SCENE, self._serve)

    def _serve(self, request: Any, response: Any) -> Any:
        token, participants = request.token, list(request.participants)
        if not token:
            return answer(response, SCENE_INVALID, 'An episode needs a token. Send a random one.')
        if token != self._loaded[0]:  # otherwise the answer to the first request was lost
            missing = self._barrier.missing(participants)
            if missing:
                return answer(response, INCORRECT_STATE, f'{", ".join(missing)} has not joined yet. Start it, or wait.')
            deaf = sorted(set(participants) - self._listeners())
            if deaf:
                return answer(response, INCORRECT_STATE, f'The world state does not reach {", ".join(deaf)} yet. Wait.')
            try:
                seeded_perturbation = SeededPerturbation(Perturbation.from_json(request.perturbation), request.noise_seed)
                scene, lent = read_scene(request.scene), read_lent(request.lent)
                self._loaded = (token, self._load(scene, token, participants, seeded_perturbation, lent))
            except VlmBenchError as error:
                return answer(response, SCENE_INVALID, str(error))
        response.state_hash = self._loaded[1]
        return answer(response, OK)


def read_scene(text: str) -> Scene:
    """Return the scene of a LoadScene request.

    Raises:
        SceneError: the text is another value.
        VlmBenchError: the text cannot be decoded.
    """
    value = codec.loads(text)
    if not isinstance(value, Scene):
        raise SceneError(f'The JSON of a Scene was expected; found that of a {type(value).__name__}.')
    return value
