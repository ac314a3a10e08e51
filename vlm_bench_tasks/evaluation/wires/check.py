"""What is checked of a policy server before an evaluation begins."""

from vlm_bench_sim.core.errors import ConfigError, near, quoted
from vlm_bench_tasks.evaluation.faults import PolicyFault
from vlm_bench_tasks.evaluation.wires.link import Address
from vlm_bench_tasks.evaluation.wires.registry import Wire


def check_server(wire: Wire, address: Address, *, cameras: str) -> None:
    """Check that a server can be asked: that it answers, is shown pictures, and takes the options given.

    Raises:
        ConfigError: it cannot.
    """
    if cameras == 'none':
        raise ConfigError(f'The policy at {address.url} needs pictures. Name cameras, such as --cameras vlmbench:front,wrist.')
    if unknown := [name for name in address.options if name not in wire.options]:
        known = near(unknown[0], wire.options) if wire.options else 'It has none.'
        raise ConfigError(f'The wire {wire.name} has no option {quoted(unknown[0])}. {known}')
    try:
        link = wire.open(address)
    except PolicyFault as error:
        said = str(error).rstrip('.')
        raise ConfigError(f'The policy server does not answer: {said}. Start it first, or correct the address or --wire.') from error
    link.close()


def check_prompt(wire: Wire, *, shown: bool) -> None:
    """Check that a wire has a place for the pictures of instructions, if there are any.

    Raises:
        ConfigError: it has none.
    """
    if shown and not wire.prompts:
        raise ConfigError(
            f'The wire {wire.name} has no place for the pictures of an instruction. Ask with --prompt words, or serve openpi.'
        )
