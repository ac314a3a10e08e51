"""A page that is open: who asks."""

from collections.abc import Callable

from vlm_bench_tasks.dashboard.access import Role


class Page:
    """One connection of a browser.

    Args:
        role: what it may do.

    Attributes:
        farewells: called once when it is closed.
        looks: id of its newest request for a picture of a running bench; one that still waits is not wanted any more.
    """

    def __init__(self, role: Role = 'all') -> None:
        self.role = role
        self.looks = 0
        self.farewells: list[Callable[[], None]] = []

    def leave(self) -> None:
        """Say that it is closed."""
        farewells, self.farewells = self.farewells, []
        for farewell in farewells:
            farewell()
