"""Jobs in processes: all are done, whoever dies, hangs or raises on the way."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from itertools import count
from multiprocessing import active_children
from pathlib import Path

import pytest

from test.chores import chore, tenfold
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks import workers
from vlm_bench_tasks.workers import Lost, play

ROOT = str(Path(__file__).parents[1])  # of processes that import what they shall do


def done(jobs, **options):
    return dict(play(jobs, chore, **options))


@pytest.mark.parametrize('workers', [1, 2, 5])
def test_every_job_is_done_once_however_many_workers_there_are(workers):
    found = list(play(range(4), tenfold, workers=workers))
    assert sorted(found) == [(0, 0), (1, 10), (2, 20), (3, 30)]


def test_no_process_is_started_for_which_there_is_no_job():
    others = set(active_children())
    with closing(play(['sleep 0.2', 'pid'], chore, workers=9)) as results:
        next(results)
        assert len(set(active_children()) - others) == 2


def test_no_job_needs_no_worker_and_no_worker_does_no_job():
    assert list(play([], tenfold, workers=1)) == []
    with pytest.raises(ConfigError, match='At least one worker'):
        list(play([1], tenfold, workers=0))


def test_jobs_are_asked_for_as_workers_are_free():
    asked = []

    def jobs():
        for number in range(9):
            asked.append(number)
            yield number

    with closing(play(jobs(), tenfold, workers=1)) as results:
        next(results)
        assert asked == [0, 1]


def test_a_worker_that_is_killed_costs_its_job_alone():
    found = done(['die', 'pid a', 'pid b'], workers=1)
    assert found['die'] == Lost('Its process was killed by SIGKILL.', code=-signal.SIGKILL)
    assert found['pid a'] == found['pid b'] != os.getpid()


@pytest.mark.parametrize('word', ['exit', 'quit'])
def test_a_worker_that_ends_tells_its_exit_code(word):
    found = done([f'{word} 3', 'sleep 0'], workers=2)
    assert found == {f'{word} 3': Lost('Its process ended with exit code 3.', code=3), 'sleep 0': 'slept'}


def test_what_raises_is_told_with_its_cause_and_the_worker_lives_on():
    found = done(['pid a', 'raise no such cube', 'pid b'], workers=1)
    lost = found['raise no such cube']
    assert lost.cause == 'ValueError: no such cube'
    assert 'chores.py' in lost.trace
    assert found['pid a'] == found['pid b']


def test_a_result_that_cannot_be_sent_is_told_too():
    found = done(['unsendable', 'sleep 0'], workers=1)
    assert 'pickle' in found['unsendable'].cause
    assert found['sleep 0'] == 'slept'


def test_what_takes_too_long_is_ended_and_the_others_go_on():
    found = done(['sleep 600', 'sleep 0', 'sleep 0.0'], workers=1, patience=1.0)
    assert found['sleep 600'] == Lost('It took longer than 1 s and was ended.', late=True)
    assert found['sleep 0'] == found['sleep 0.0'] == 'slept'


@pytest.mark.parametrize('patience', [0.0, -1.0, float('nan')])
def test_no_time_is_refused(patience):
    with pytest.raises(ConfigError, match='above 0 wall-clock s'):
        list(play([1], tenfold, workers=1, patience=patience))


def test_what_stands_still_is_ended_and_what_goes_on_is_not_however_long_it_takes(tmp_path):
    mark, looks = tmp_path / 'stands', count()

    def pulse(words):
        """One job is elsewhere at each look, however seldom a busy machine looks; the other stays where it is once it has begun."""
        return (next(looks), 0.5) if words == 'sleep 2' else ('there', 0.5 if mark.exists() else 60.0)

    found = done(['sleep 2', f'mark {mark}'], workers=2, pulse=pulse)
    assert found == {'sleep 2': 'slept', f'mark {mark}': Lost('It made no progress for 0.5 s and was ended.', late=True)}


def test_a_signal_without_a_name_is_told_by_its_number():
    found = done(['signal 37', 'sleep 0'], workers=1)
    assert found == {'signal 37': Lost('Its process was killed by signal 37.', code=-37), 'sleep 0': 'slept'}


def test_a_worker_that_lets_go_and_lives_is_ended_and_its_end_is_not_taken_for_a_kill(monkeypatch):
    monkeypatch.setattr(workers, '_GRACE_S', 0.5)
    assert done(['linger 600'], workers=1) == {'linger 600': Lost('Its process closed the connection but kept running, and was ended.')}


def test_a_job_may_start_processes():
    assert done(['start'], workers=1) == {'start': 40}


def test_a_worker_that_dies_while_its_own_process_lives_is_heard_of(tmp_path):
    mark = tmp_path / 'mark'
    assert done([f'leave {mark}'], workers=1) == {f'leave {mark}': Lost('Its process ended with exit code 3.', code=3)}
    assert gone(written(mark))


def test_nothing_that_a_worker_started_outlives_the_iteration(tmp_path):
    mark = tmp_path / 'mark'
    with closing(play(['sleep 0', f'outlast {mark}'], chore, workers=2)) as results:
        assert next(results) == ('sleep 0', 'slept')
        pid = written(mark)
    assert gone(pid)


def test_a_process_that_ends_in_the_middle_of_an_iteration_waits_for_no_worker(tmp_path):
    mark = tmp_path / 'mark'
    loop = f'for _ in play(["sleep 0", "mark {mark}"], chore, workers=2): 1 / 0'
    code = f'from test.chores import chore; from vlm_bench_tasks.workers import play\n{loop}'
    ended = subprocess.run(
        [sys.executable, '-c', code], env=os.environ | {'PYTHONPATH': ROOT}, capture_output=True, text=True, check=False, timeout=300
    )
    assert ended.returncode == 1
    assert 'ZeroDivisionError' in ended.stderr


def test_the_server_takes_no_file_of_the_current_folder_for_a_library_and_says_nothing(tmp_path):
    (tmp_path / 'here').mkdir()
    (tmp_path / 'here/numpy.py').write_text(f'open({str(tmp_path / "ran")!r}, "w").close()')
    script = tmp_path / 'script.py'
    script.write_text(
        'from vlm_bench_tasks.workers import play\n'
        'from test.chores import tenfold\n'
        "if __name__ == '__main__':\n"
        '    print(list(play([4], tenfold, workers=1)))\n'
    )
    environment = os.environ | {'PYTHONPATH': ROOT}
    ended = subprocess.run(
        [sys.executable, script], cwd=tmp_path / 'here', env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert (ended.stdout, ended.stderr) == ('[(4, 40)]\n', '')
    assert not (tmp_path / 'ran').exists()


def test_no_worker_outlives_the_iteration(tmp_path):
    mark = tmp_path / 'mark'
    with closing(play(['sleep 0', f'mark {mark}'], chore, workers=2)) as results:
        assert next(results) == ('sleep 0', 'slept')
        pid = written(mark)
    assert gone(pid)


@pytest.mark.parametrize('chores', ['mark', 'outlast'])
@pytest.mark.parametrize('sent', [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_worker_outlives_the_process_that_started_it(tmp_path, sent, chores):
    mark = tmp_path / 'mark'
    heard = 'import signal; signal.signal(signal.SIGINT, signal.default_int_handler)'  # which who starts us in the background turns off
    begun = f'list(play(["{chores} {mark}"], chore, workers=1))'
    code = f'{heard}; from test.chores import chore; from vlm_bench_tasks.workers import play; {begun}'
    command = [sys.executable, '-c', code]
    parent = subprocess.Popen(command, env=os.environ | {'PYTHONPATH': ROOT}, start_new_session=True, stderr=subprocess.PIPE)
    pid = written(mark)
    if sent == signal.SIGINT:
        os.killpg(parent.pid, sent)  # as a terminal does it: to all of them
    else:
        parent.send_signal(sent)
    told = parent.communicate(timeout=300)[1].decode()
    assert told.count('KeyboardInterrupt') == (sent == signal.SIGINT)
    assert gone(pid)


def written(path):
    """The process number in a file, once it stands there."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if path.exists() and path.read_text():
            return int(path.read_text())
        time.sleep(0.01)
    raise AssertionError(f'nothing was written to {path}')


def gone(pid):
    """Whether a process ends soon."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            if Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0] == 'Z':
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.05)
    return False
