"""Ask a person at a terminal: show the bench's questions, and publish the answers."""

import json
import os
import signal
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.prompt import Prompt

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.ros import installed, keyring, names
from vlm_bench_sim.ros.convert import message
from vlm_bench_tasks.graph import environment

CHOICES = {'yes': 1, 'no': 2, 'unsure': 3}  # of vlm_bench_msgs/Answer


class Terminal:
    """Keeps the newest open question, and answers it.

    Attributes:
        leaving: whether the person has pressed Ctrl-C.
    """

    def __init__(self, console: Console) -> None:
        from vlm_bench_sim.nodes.base.bench_node import BenchNode

        self._console, self._folder = console, Path(tempfile.mkdtemp(prefix='vlm_bench_person_'))
        self._node = BenchNode('vlm_bench_person', {})
        self._answers = self._node.publisher(names.ANSWER)
        self._question: Any = None
        self.leaving = self._prompting = False
        self._node.subscribe(names.QUESTION, self._on_question)

    def turn(self) -> None:
        """Process messages for a while, and ask the person an open question."""
        self._node.spin_once(0.2)
        question, self._question = self._question, None
        if question is not None:
            self._prompting = True
            said, reason = self._ask(question)
            self._prompting = False
            content = {'id': question.id, 'answer': CHOICES[said], 'reason': reason}
            self._answers.publish(message(names.ANSWER.type, content))

    def leave(self, *_signal: Any) -> None:
        """Leave: at once from a prompt, otherwise after this turn, because rclpy may swallow an exception raised inside it."""
        self.leaving = True
        if self._prompting:
            raise KeyboardInterrupt

    def close(self) -> None:
        """Destroy the node."""
        self._node.close()

    def _on_question(self, question: Any) -> None:
        if question.open:
            self._question = question
        elif self._question is not None and self._question.id == question.id:
            self._question = None

    def _ask(self, question: Any) -> tuple[str, str]:
        self._console.print(f'\n{question.text}', highlight=False, markup=False)
        if question.picture.data:
            path = self._folder / f'{question.id}.jpg'
            path.write_bytes(bytes(question.picture.data))
            self._console.print(f'Picture: {path}', highlight=False, markup=False)
        said = Prompt.ask('Answer', choices=list(CHOICES), console=self._console)
        return said, '' if said == 'yes' else Prompt.ask('Why', default='', show_default=False, console=self._console)


def _ask_code(console: Console) -> None:
    """Ask for the bench's code until it is valid or empty."""
    while text := Prompt.ask('Code that `vlm-bench real` printed (none: Enter)', default='', show_default=False, console=console):
        try:
            return keyring.take_code(text)
        except ConfigError as error:
            console.print(f'{error}', highlight=False, markup=False)


def answer(console: Console, *, scored: bool) -> None:
    """Answer questions until Ctrl-C or the end of the input.

    Raises:
        ConfigError: ROS 2 is missing.
    """
    installed.check()
    import rclpy
    from rclpy.signals import SignalHandlerOptions

    os.environ.update(environment(os.environ))
    try:
        _ask_code(console)
    except (KeyboardInterrupt, EOFError):
        return
    # Python handles Ctrl-C here. Otherwise rclpy would shut down its context in the middle of an operation.
    rclpy.init(args=['--ros-args', '-p', f'scored:={json.dumps(scored)}'], signal_handler_options=SignalHandlerOptions.NO)
    terminal = Terminal(console)
    before = signal.signal(signal.SIGINT, terminal.leave)
    console.print('Waiting for questions. Ctrl-C ends.')
    try:
        while rclpy.ok() and not terminal.leaving:
            terminal.turn()
    except (KeyboardInterrupt, EOFError):
        return
    finally:
        signal.signal(signal.SIGINT, before)
        terminal.close()
        rclpy.try_shutdown()
