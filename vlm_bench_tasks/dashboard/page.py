"""A page that is open: who asks."""

from collections.abc import Callable


class Page:
    """One connection of a browser.

    Attributes:
        farewells: called once when it is closed.
    """

    def __init__(self) -> None:
        self.farewells: list[Callable[[], None]] = []

    def leave(self) -> None:
        """Say that it is closed."""
        farewells, self.farewells = self.farewells, []
        for farewell in farewells:
            farewell()
