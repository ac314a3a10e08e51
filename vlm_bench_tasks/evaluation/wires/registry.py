"""The wires by name, with the schemes of their addresses."""

from collections.abc import Callable
from dataclasses import dataclass

from vlm_bench_sim.core.errors import ConfigError, near, quoted
from vlm_bench_tasks.evaluation.wires.link import Address, Link


@dataclass(frozen=True)
class Wire:
    """How servers of one kind are spoken to.

    Attributes:
        name: as given to `--wire`.
        schemes: of the addresses of its servers; the first is the usual one.
        link: opens one of its links; what it needs is imported then, for it is an optional extra.
        options: names of its options (`--policy-arg`).
        prompts: whether it has a place for the pictures of an instruction.
    """

    name: str
    schemes: tuple[str, ...]
    link: Callable[[Address], Link]
    options: tuple[str, ...] = ()
    prompts: bool = False

    def open(self, address: Address) -> Link:
        """Open a link.

        Raises:
            ConfigError: the address is invalid, a library is missing, or the server wants what the bench does not offer.
            PolicyFault: the server does not answer, or not as it should.
        """
        try:
            return self.link(address)
        except ImportError as error:
            raise ConfigError(f"Policy servers need {error.name}. Install it with: pip install 'vlm_bench_sim[server]'.") from error


def _openpi(address: Address) -> Link:
    from vlm_bench_tasks.evaluation.wires.openpi import OpenpiLink

    return OpenpiLink(address)


def _vla_eval(address: Address) -> Link:
    from vlm_bench_tasks.evaluation.wires.vla_eval import VlaEvalLink

    return VlaEvalLink(address)


def _gr00t(address: Address) -> Link:
    from vlm_bench_tasks.evaluation.wires.gr00t import Gr00tLink

    return Gr00tLink(address)


def _openvla_oft(address: Address) -> Link:
    from vlm_bench_tasks.evaluation.wires.openvla_oft import OpenvlaOftLink

    return OpenvlaOftLink(address)


def _starvla(address: Address) -> Link:
    from vlm_bench_tasks.evaluation.wires.starvla import StarvlaLink

    return StarvlaLink(address)


_SOCKETS = ('ws', 'wss')
WIRES = {
    wire.name: wire
    for wire in (
        Wire('openpi', _SOCKETS, _openpi, prompts=True),
        Wire('vla-eval', _SOCKETS, _vla_eval),
        Wire('gr00t', ('tcp',), _gr00t),
        Wire('openvla-oft', ('http', 'https'), _openvla_oft),
        Wire('starvla', _SOCKETS, _starvla, ('unnorm_key',)),
    )
}
SCHEMES = tuple(dict.fromkeys(scheme for wire in WIRES.values() for scheme in wire.schemes))
"""The schemes of addresses of policy servers."""


def scheme_of(policy: str) -> str:
    """Return the scheme of a policy server's address; '' if a policy's name is none."""
    scheme, colon, _ = policy.partition('://')
    return scheme if colon and scheme in SCHEMES else ''


def wire_for(address: str, name: str = '') -> Wire:
    """Return the wire of a server: the named one, or the first whose addresses look so.

    Raises:
        ConfigError: there is no such wire, or its servers have other addresses.
    """
    scheme = scheme_of(address)
    if not name:
        return next(wire for wire in WIRES.values() if scheme in wire.schemes)
    if name not in WIRES:
        raise ConfigError(f'There is no wire called {quoted(name)}. {near(name, WIRES)}')
    if scheme not in WIRES[name].schemes:
        raise ConfigError(
            f'Servers of {name} have addresses such as {WIRES[name].schemes[0]}://127.0.0.1:8000; found {quoted(address)}. '
            'Correct the address or --wire.'
        )
    return WIRES[name]
