"""One bench a ROS domain, as the locks of this machine tell; what is found by looking into a domain is tested with nodes."""

import os
import subprocess
import sys
import tempfile

import pytest

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.launching.domain import claimed, free, present

HOLD = """
import sys, time
from vlm_bench_tasks.launching.domain import claimed
with claimed(scored=sys.argv[1] == 'scored'):
    print('held', flush=True)
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def quiet(tmp_path, monkeypatch):
    """Locks of one's own, in domain 7, where nobody is."""
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path))
    monkeypatch.setattr(os, 'environ', os.environ | {'TMPDIR': str(tmp_path), 'ROS_DOMAIN_ID': '7'})


@pytest.fixture
def holder():
    made = []

    def start(how):
        made.append(subprocess.Popen([sys.executable, '-c', HOLD, how], stdout=subprocess.PIPE, text=True, env=dict(os.environ)))
        assert made[-1].stdout.readline() == 'held\n'
        return made[-1]

    yield start
    for one in made:
        one.kill()
        one.communicate()


def test_a_second_bench_refuses_and_names_the_first_until_that_is_killed(holder):
    first = holder('plain')
    with pytest.raises(ConfigError, match=rf'in ROS domain 7: process {first.pid} \(.*export ROS_DOMAIN_ID=9$'), claimed(scored=False):
        pass
    first.kill()
    first.wait()
    with claimed(scored=False) as number:
        assert number == 7


def test_a_scored_bench_needs_the_domain_above_too(holder):
    holder('scored')
    os.environ['ROS_DOMAIN_ID'] = '8'
    with pytest.raises(ConfigError, match='in ROS domain 8: '), claimed(scored=False):
        pass
    os.environ['ROS_DOMAIN_ID'] = '6'
    with claimed(scored=False):
        assert free(6) == 9, '7 and 8 are taken'
        with pytest.raises(ConfigError, match='in ROS domain 6: '), claimed(scored=True):
            pass


def test_who_starts_the_policy_too_takes_another_domain(holder):
    holder('plain')
    with claimed(scored=True, elsewhere=True) as number:
        assert (number, present()) == (9, 9)


@pytest.mark.parametrize('what', ['link', 'folder'])
def test_what_somebody_has_put_in_the_place_of_a_lock_is_neither_followed_nor_written(tmp_path, what):
    precious, lock = tmp_path / 'precious', tmp_path / 'vlm_bench_domain_7.lock'
    precious.write_text('mine')
    if what == 'link':
        lock.symlink_to(precious)
    else:
        lock.mkdir()
    with (
        pytest.raises(ConfigError, match=r'vlm_bench_domain_7\.lock of a bench cannot be opened: '),
        claimed(scored=False),
    ):
        pass
    assert precious.read_text() == 'mine'


def test_who_holds_a_lock_can_say_nothing_but_text(tmp_path):
    with claimed(scored=False):
        (tmp_path / 'vlm_bench_domain_7.lock').write_text('\x1b[31mprocess 1\n')
        with pytest.raises(ConfigError, match=r'in ROS domain 7: \[31mprocess 1\. Two'), claimed(scored=False):
            pass


@pytest.mark.parametrize('text', ['x', '-1', '232', '1e3', '٣', '9' * 5000])
def test_a_domain_that_is_none_is_an_error(text):
    os.environ['ROS_DOMAIN_ID'] = text
    with pytest.raises(ConfigError, match='ROS_DOMAIN_ID is a number from 0 to 231'):
        present()


def test_no_domain_is_domain_0():
    os.environ['ROS_DOMAIN_ID'] = ''
    assert present() == 0
