"""The node that docs/connect_a_policy.md shows, run from a folder outside the repository against a bench, as a stranger would run it."""

import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from policy_client import PolicyClient
from running_bench import ros_environment

from vlm_bench_sim.bags.reader import open_bag, snapshots
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_tasks.dataset.judge import judge

pytestmark = pytest.mark.ros

PAGE = Path(__file__).parents[2] / 'docs' / 'connect_a_policy.md'
CLI = [sys.executable, '-c', 'from vlm_bench_tasks.cli.main import app; app()']
UP = ('up', '--cameras', 'vlmbench:front')
REAL = ('real', '--set', 'cameras:=vlmbench:front', '--driver', 'mujoco', '--observer', 'tracker', '--set', 'truth:=true')
SECONDS = 60.0


@contextmanager
def process(command, log, **options):
    """Run a process; at the end interrupt it if it still runs."""
    with log.open('w') as output:
        running = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True, **options)
        try:
            yield running
        finally:
            if running.poll() is None:
                running.send_signal(signal.SIGINT)
                running.wait(10)


def play(domain, folder, *flags, command=UP):
    """Run bench and policy to the end; return the bag and the names that a stranger in the domain could see meanwhile."""
    (block,) = re.findall(r'^```python\n(.*?)^```', PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert 'vlm_bench_sim' not in block
    assert 'vlm_bench_tasks' not in block
    (folder / 'my_policy.py').write_text(block)
    environment, visible = ros_environment(domain), set()
    asked = [*command, '--policy', 'none', '--seed', '2', '--once', '--record', str(folder / 'bags'), *flags]
    policy = [sys.executable, 'my_policy.py']
    stranger = PolicyClient(domain, name='stranger')
    with (
        process([*CLI, *asked], folder / 'up.log', env=environment, cwd=folder) as bench,
        process(policy, folder / 'policy.log', env=environment, cwd=folder) as mine,
    ):
        deadline = time.monotonic() + SECONDS
        while (bench.poll() is None or mine.poll() is None) and time.monotonic() < deadline:
            stranger.spin(0.1)
            node = stranger.nodes[0]
            visible |= {name for name, _ in (*node.get_topic_names_and_types(), *node.get_service_names_and_types())}
    stranger.close()
    said = (folder / 'policy.log').read_text()
    assert mine.returncode == 0, said + (folder / 'up.log').read_text()
    assert bench.returncode == 1, 'it does not solve the task'
    (metadata,) = (folder / 'bags').glob('*/metadata.yaml')
    return metadata.parent, visible, said


def check(bag, said):
    judgement = judge(bag)
    film = list(snapshots(open_bag(bag)))
    assert said.startswith(judgement.episode.instruction.text)
    assert '(256 x 256 pixels; <image 1> is the first of 0 png files)' in said
    assert np.linalg.norm(np.subtract(film[0].tool.position, (0.45, 0.15, 0.25))) > 0.1
    assert film[-1].tool.position == pytest.approx((0.45, 0.15, 0.25), abs=0.003)
    assert film[-1].tool.rotation[:, 2] == pytest.approx((0, 0, -1), abs=0.01)
    assert film[0].opening > 0.07
    assert film[-1].opening < 0.005
    report = judgement.report
    assert (report.verdict, report.causes, report.assistance, report.violations) == (Verdict.FAILURE, ('stopped',), (), 0)
    assert judgement.agrees
    return judgement.recorded


@pytest.mark.slow  # the scored bench stands for it
def test_the_node_of_the_page_hears_sees_and_moves(domains, tmp_path):
    bag, visible, said = play(domains(), tmp_path)
    assert check(bag, said).isolation == 'names'
    assert {'/task/instruction', '/truth/world_state', '/vlm_bench_sim/load_scene'} <= visible


@pytest.mark.slow
def test_around_an_arm_that_physics_stand_in_for_it_does_the_same(domains, tmp_path):
    """Not a line of it knows that no simulator tells the time."""
    pytest.importorskip('mujoco')
    bag, visible, said = play(domains(), tmp_path, command=REAL)
    recorded = check(bag, said)
    assert recorded.judged_by == 'tracker' and judge(bag).truth.verdict is Verdict.FAILURE
    assert '/vlm_bench_sim/simulate_steps' not in visible


@pytest.mark.long
def test_scored_it_does_the_same_and_nothing_privileged_is_to_be_seen(domains, tmp_path):
    bag, visible, said = play(domains(), tmp_path, '--scored')
    assert check(bag, said).isolation == 'domain'
    assert {'/task/instruction', '/arm/plan', '/joint_states'} <= visible
    assert [name for name in visible if name.startswith(('/truth', '/vlm_bench_sim'))] == []
