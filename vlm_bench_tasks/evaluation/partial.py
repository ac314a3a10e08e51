"""Store the results of an unfinished evaluation line by line beside its report. An interrupted evaluation can therefore be resumed."""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.campaign import Store
from vlm_bench_tasks.evaluation.declaration import UNDECLARED
from vlm_bench_tasks.evaluation.files import alone
from vlm_bench_tasks.evaluation.finished import OtherCode
from vlm_bench_tasks.evaluation.plan import Plan
from vlm_bench_tasks.evaluation.playing import Scored
from vlm_bench_tasks.result import Result
from vlm_bench_tasks.trial import Key, Trial

_MOST, _SHOWN = 6, 40  # differences in a message, and characters of a value
_CALLED = {'decides': 'digest of tasks, seeds and conditions', 'code': 'digest of the policy'}


class Partial(Store[Scored]):
    """The file of finished episodes. Its first line identifies the evaluation and the version of the bench's code.

    Args:
        report: path of the report.
        plan: the evaluation's plan.
        finished: results of an existing report that has unobservable episodes.
        other_code: what to do with episodes that another version of the bench's code has played.
    """

    def __init__(self, report: Path, plan: Plan, *, finished: dict[Key, Scored], other_code: OtherCode = OtherCode.REFUSE) -> None:
        self._report, self.path = report, report.with_name(f'{report.name}.partial.jsonl')
        self._kept, self._other_code = dict(finished), other_code
        manner = plan.manner
        self._head = {'policy': manner.policy, 'code': manner.code, 'options': plan.options, 'decides': plan.conditions.decides}
        if plan.declared != UNDECLARED:
            self._head['declared'] = plan.declared.model_dump(mode='json')
        self._bench, self.resumed = plan.bench, 0

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the report against other processes as a context.

        Raises:
            ConfigError: another process holds the lock, or no file can be written beside the report.
        """
        path = self.path.with_suffix('.lock')
        with ExitStack() as held:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                held.enter_context(alone(path, wait=False))
            except BlockingIOError as error:
                raise ConfigError(f'Another process is writing {self._report}. Wait for it, or name another report.') from error
            except OSError as error:
                raise self._unkept(error) from error
            yield

    def known(self, trials: Sequence[Trial]) -> dict[Trial, Scored]:
        """Return the finished, observable episodes, and count them in `resumed`. Unobservable ones are missing: the bench was at fault.

        The file is created if it does not exist. An incomplete last line, left by a killed process, is cut off.

        Raises:
            ConfigError: the file belongs to another evaluation, or cannot be written.
        """
        found, head = self._read(self._lines())
        whole = [json.dumps(head), *(_line(scored) for scored in found)]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            part = self.path.with_name(f'.{self.path.name}.part')
            part.write_text(''.join(f'{line}\n' for line in whole), encoding='utf-8')
            part.replace(self.path)
        except OSError as error:
            raise self._unkept(error) from error
        self._kept |= {scored.result.key: scored for scored in found}
        seen = {trial: self._kept[trial.key] for trial in trials if trial.key in self._kept and self._kept[trial.key].result.seen}
        self.resumed = len(seen)
        return seen

    def keep(self, trial: Trial, result: Scored) -> Scored:
        """Store a result. Return it together with the reasons why earlier attempts were unobservable."""
        scored = result.after(*self._kept[trial.key].before) if trial.key in self._kept else result
        with self.path.open('a', encoding='utf-8') as file:
            file.write(_line(scored) + '\n')
        self._kept[trial.key] = scored
        return scored

    def remove(self) -> None:
        """Remove the file once the report exists."""
        self.path.unlink(missing_ok=True)

    def _read(self, lines: list[str]) -> tuple[list[Scored], dict[str, Any]]:
        """Return the results of this evaluation from the lines, and the header for the first line."""
        ours = self._head | {'bench': self._bench}
        if not lines[1:]:
            return [], ours
        head = _parsed(lines[0])
        found = [scored for scored in map(_scored, lines[1:]) if scored is not None]
        if differ := _differences(head, self._head):
            raise ConfigError(f'{self.path} holds episodes of another evaluation. {differ} Remove it, or name another report.')
        if head.get('bench') == self._bench or self._other_code == OtherCode.KEEP:
            return found, ours
        if self._other_code == OtherCode.REPLACE:
            return [], ours
        raise ConfigError(f'{self.path} holds episodes played by other bench code. Remove it, or name another report.')

    def _unkept(self, error: OSError) -> ConfigError:
        return ConfigError(f'Episodes cannot be stored in {self.path}: {error.strerror}. Name another report with --out.')

    def _lines(self) -> list[str]:
        try:
            return self.path.read_text(encoding='utf-8').splitlines()
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f'{self.path} cannot be read: {error}. Remove it, or name another report.') from error


def _differences(theirs: Any, ours: dict[str, Any]) -> str:
    """Return in words how the header of a file differs from ours, apart from the bench's code; '' if it does not."""
    if not isinstance(theirs, dict):
        return 'Its first line cannot be read.'
    theirs = {key: value for key, value in theirs.items() if key != 'bench'}
    if theirs == ours:
        return ''
    old, new = _flat(theirs), _flat(ours)
    keys = [key for key in {**new, **old} if old.get(key) != new.get(key)]
    said = [f'Its {_CALLED.get(key) or _short(key)} was {_short(old.get(key))}; now it is {_short(new.get(key))}.' for key in keys]
    more = [f'{len(said) - _MOST} more differ.'] if len(said) > _MOST else []
    return ' '.join((said[:_MOST] + more) or ['Its first line is another.'])


def _flat(head: dict[str, Any]) -> dict[str, Any]:
    """Return a header with the values of its objects by names such as options.speed."""
    found: dict[str, Any] = {}
    for key, value in head.items():
        found |= {f'{key}.{name}': inner for name, inner in value.items()} if isinstance(value, dict) else {key: value}
    return found


def _short(value: Any) -> str:
    """Return a value from any source in a few characters."""
    text = value if isinstance(value, str) and value.isprintable() else json.dumps(value)
    return 'nothing' if value in (None, '') else text if len(text) <= _SHOWN else f'{text[:_SHOWN]}…'


def _line(scored: Scored) -> str:
    said = {'result': scored.result.model_dump(mode='json'), 'seconds': scored.seconds, 'cpu_seconds': scored.cpu_seconds}
    return json.dumps(said | {'bag': scored.bag, 'assistance': scored.assistance, 'earlier': scored.earlier}, sort_keys=True)


def _scored(line: str) -> Scored | None:
    given = _parsed(line)
    try:
        json.dumps(given, ensure_ascii=False, allow_nan=False).encode()  # values that cannot be written again are not from this program
        result = Result.model_validate(given['result'])
        aids, earlier = (tuple(map(str, given[name])) for name in ('assistance', 'earlier'))
        return Scored(result, float(given['seconds']), float(given['cpu_seconds']), str(given['bag']), aids, earlier)
    except (ValidationError, KeyError, TypeError, ValueError, OverflowError, RecursionError):
        return None  # the episode is played again


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
