"""The file in which a study keeps its cases, a line each as soon as it is known: an interrupted study goes on where it was."""

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.agreement.study import Case
from vlm_bench_tasks.evaluation.files import alone, write_whole
from vlm_bench_tasks.trial import Key, Trial


@dataclass
class Ledger:
    """Cases by episode. An incomplete last line, left by a killed process, is cut off.

    Attributes:
        path: a file of lines of JSON: the code's fingerprint first, then an episode with its cases a line.
        code: the fingerprint of the code that plays; a file of other code is refused.

    Raises:
        ConfigError: the file is no ledger, or was written by other code.
    """

    path: Path
    code: str
    known: dict[Key, tuple[Case, ...]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        if not self.path.exists():
            return
        try:
            text = self.path.read_text(encoding='utf-8')
            whole = text[: text.rfind('\n') + 1]
            if _head(self.code).startswith(text):  # a process was killed within its first line
                write_whole(self.path, '')
                return
            head, *rows = whole.splitlines()
            found = json.loads(head)['code']
            for row in rows:
                content = json.loads(row)
                self.known[_key(content['key'])] = tuple(Case.model_validate(case) for case in content['cases'])
        except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
            raise ConfigError(f'{self.path} is no file of vlm-bench agreement, or is damaged: {error}. Name another file.') from error
        if found != self.code:
            raise ConfigError(f'{self.path} was written by the code {found}; the code here is {self.code}. Name another file.')
        if whole != text:  # a process was killed while it wrote the last line
            write_whole(self.path, whole)

    @staticmethod
    @contextmanager
    def held(path: Path) -> Iterator[None]:
        """Lock a file of a study against other processes as a context.

        Raises:
            ConfigError: another process holds the lock, or no file can be written there.
        """
        with ExitStack() as held:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                held.enter_context(alone(path.with_name(f'{path.name}.lock'), wait=False))
            except BlockingIOError as error:
                raise ConfigError(f'Another process is writing {path}. Wait for it, or name another file.') from error
            except OSError as error:
                raise ConfigError(f'{path} cannot be written: {error.strerror}. Name another file.') from error
            yield

    def keep(self, trial: Trial, cases: Iterable[Case]) -> None:
        """Add the cases of an episode, in memory and in the file."""
        self.known[trial.key] = tuple(cases)
        new = not self.path.exists() or not self.path.stat().st_size
        row = json.dumps({'key': trial.key, 'cases': [case.model_dump() for case in self.known[trial.key]]})
        with self.path.open('a', encoding='utf-8') as file:
            file.write(_head(self.code) + row + '\n' if new else row + '\n')

    def cases(self) -> Iterator[Case]:
        """Yield all cases, in the order of their episodes."""
        for key in sorted(self.known):
            yield from self.known[key]


def _key(value: list[object]) -> Key:
    task, axis, split, seed = value
    if not (isinstance(task, str) and isinstance(axis, str) and isinstance(split, str) and isinstance(seed, int)):
        raise ValueError(f'an episode is a task, an axis, a split and a seed; found {value}')
    return task, axis, split, seed


def _head(code: str) -> str:
    """Return the first line of a file."""
    return json.dumps({'code': code}) + '\n'
