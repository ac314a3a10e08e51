"""Turns a function that serves or refuses a request into a service callback."""

from collections.abc import Callable
from typing import Any

from vlm_bench_sim.core.codes import OK, OPERATION_FAILED
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.nodes.base.answers import answer
from vlm_bench_sim.ros.simulation import Refused

Serve = Callable[[Any, Any], None]


def refusable(serve: Serve) -> Callable[[Any, Any], Any]:
    """Return a callback that answers OK, or the code and reason of a refusal."""

    def callback(request: Any, response: Any) -> Any:
        answer(response, OK)
        try:
            serve(request, response)
        except Refused as error:
            return answer(response, error.code, str(error))
        except VlmBenchError as error:
            return answer(response, OPERATION_FAILED, str(error))
        return response

    return callback
