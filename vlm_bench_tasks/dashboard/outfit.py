"""The robot and the cameras of a bench, which the window may change by having the bench started again."""

from dataclasses import dataclass
from typing import Any

from vlm_bench_sim import profiles
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_tasks import catalogue


@dataclass(kw_only=True)
class Outfit:
    """Robot and cameras.

    Attributes:
        task: with which the bench was started; '': nobody has said it.
        robot, cameras: as settings; '': nobody has said it.
        changeable: whether who started the bench starts it again with others.
    """

    task: str = ''
    robot: str = ''
    cameras: str = ''
    changeable: bool = False

    def __post_init__(self) -> None:
        self._follows = self.robot != '' and self.robot == _made_for(self.task)

    def told(self) -> dict[str, Any]:
        """Return it with what there is to choose from, as JSON types; `follows`: each task gets the robot for which it is made."""
        known = {'robots': list(profiles.robots()), 'sets': ['none', *profiles.camera_sets()]} if self.changeable else {}
        return {'task': self.task, 'robot': self.robot, 'cameras': self.cameras, 'follows': self._follows, **known}

    def changes(self, task: str, robot: str, cameras: str) -> dict[str, str]:
        """Return the settings that must be others for an episode; '' is the robot as ever, and the cameras that there are."""
        if not self.changeable:
            return {}
        wanted = {'robot': robot or (_made_for(task) if self._follows else ''), 'cameras': cameras}
        return {name: value for name, value in wanted.items() if value and value != getattr(self, name)}

    def changed(self, to: dict[str, str]) -> None:
        """The bench has been started again."""
        self.robot, self.cameras = to.get('robot', self.robot), to.get('cameras', self.cameras)


def _made_for(task: str) -> str:
    """Return the robot for which a task is made; '' if there is no such task."""
    try:
        return catalogue.task(task).robot
    except VlmBenchError:
        return ''
