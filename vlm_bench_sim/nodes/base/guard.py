"""Keeps a node alive when a service callback raises: the request is answered as failed."""

from collections.abc import Callable
from inspect import iscoroutinefunction
from traceback import format_exc
from typing import Any

from vlm_bench_sim.core.codes import OPERATION_FAILED


def guarded(callback: Callable[[Any, Any], Any], log: Any, alive: Callable[[], bool]) -> Callable[[Any, Any], Any]:
    """Return a service callback that answers an exception of the given one as a failure, as long as the node is alive."""

    def failed(response: Any) -> Any:
        log.error(f'A request could not be served:\n{format_exc()}')
        response.result.result = OPERATION_FAILED
        response.result.error_message = 'The request could not be served; the log of the node says why. Check what was sent.'
        return response

    async def wait(request: Any, response: Any) -> Any:
        try:
            return await callback(request, response)
        except Exception:
            if not alive():
                raise
            return failed(response)

    def serve(request: Any, response: Any) -> Any:
        try:
            return callback(request, response)
        except Exception:
            if not alive():
                raise
            return failed(response)

    return wait if iscoroutinefunction(callback) else serve
