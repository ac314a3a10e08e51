"""A page that is open: who asks."""

from collections.abc import Callable

from vlm_bench_tasks.dashboard.access import Role


class Page:
    """One connection of a browser.

    Args:
        role: what it may do.

    Attributes:
        farewells: called once when it is closed.
    """

    def __init__(self, role: Role = 'all') -> None:
        self.role = role
        self.farewells: list[Callable[[], None]] = []

    def leave(self) -> None:
        """Say that it is closed."""
        farewells, self.farewells = self.farewells, []
        for farewell in farewells:
            farewell()
