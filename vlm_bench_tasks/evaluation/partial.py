"""The episodes of an evaluation that is not over, kept line by line beside its report, so that none is lost when it is interrupted."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation.files import alone
from vlm_bench_tasks.evaluation.plan import Plan
from vlm_bench_tasks.evaluation.playing import Scored
from vlm_bench_tasks.evaluation.report import EpisodeScore, Key


class Partial:
    """The file of a report's episodes; its first line says of which evaluation.

    Args:
        report: path of the report.
        plan: of the evaluation.
    """

    def __init__(self, report: Path, plan: Plan) -> None:
        self._report, self.path = report, report.with_name(f'{report.name}.partial.jsonl')
        manner = plan.manner
        self._head = {'policy': manner.policy, 'code': manner.code, 'options': plan.options, 'decides': plan.conditions.decides}

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep others from evaluating into the same report meanwhile.

        Raises:
            ConfigError: another process does just now, or no file can be written beside the report.
        """
        path = self.path.with_suffix('.lock')
        with ExitStack() as held:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                held.enter_context(alone(path, wait=False))
            except BlockingIOError as error:
                raise ConfigError(f'{self._report} is being made by another process. Wait for it, or name another report.') from error
            except OSError as error:
                raise self._unkept(error) from error
            yield

    def read(self) -> dict[Key, Scored]:
        """Return what has been played; the file is made where there is none, and what a killed writer left of a line is cut off.

        Raises:
            ConfigError: the file is of another evaluation, or cannot be written.
        """
        lines = self._lines()
        if lines[1:] and _parsed(lines[0]) != self._head:
            raise ConfigError(f'{self.path} holds episodes of another evaluation ({lines[0][:200]}). Remove it, or name another report.')
        found = [scored for scored in map(_scored, lines[1:]) if scored is not None]
        whole = [json.dumps(self._head), *(_line(scored) for scored in found)]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            part = self.path.with_name(f'.{self.path.name}.part')
            part.write_text(''.join(f'{line}\n' for line in whole), encoding='utf-8')
            part.replace(self.path)
        except OSError as error:
            raise self._unkept(error) from error
        return {scored.score.key: scored for scored in found}

    def add(self, scored: Scored) -> None:
        """Keep an episode."""
        with self.path.open('a', encoding='utf-8') as file:
            file.write(_line(scored) + '\n')

    def remove(self) -> None:
        """Remove the file, the report being there."""
        self.path.unlink(missing_ok=True)

    def _unkept(self, error: OSError) -> ConfigError:
        return ConfigError(f'Episodes cannot be kept in {self.path}: {error.strerror}. Name another report with --out.')

    def _lines(self) -> list[str]:
        try:
            return self.path.read_text(encoding='utf-8').splitlines()
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f'{self.path} cannot be read: {error}. Remove it, or name another report.') from error


def _line(scored: Scored) -> str:
    said = {'score': scored.score.model_dump(mode='json'), 'seconds': scored.seconds, 'bag': scored.bag, 'assistance': scored.assistance}
    return json.dumps(said | {'earlier': scored.earlier}, sort_keys=True)


def _scored(line: str) -> Scored | None:
    given = _parsed(line)
    try:
        json.dumps(given, ensure_ascii=False, allow_nan=False).encode()  # what cannot be written again is none of ours
        score = EpisodeScore.model_validate(given['score'])
        aids, earlier = (tuple(map(str, given[name])) for name in ('assistance', 'earlier'))
        return Scored(score, float(given['seconds']), str(given['bag']), aids, earlier)
    except (ValidationError, KeyError, TypeError, ValueError, OverflowError, RecursionError):
        return None  # it is played again


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
