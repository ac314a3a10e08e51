"""The same scene and commands give the same states, bit for bit: again, elsewhere, beside another world, and from a saved state."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from stage import PROFILE, around, prop, steps

from vlm_bench_sim import engines
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.command import Joints, Stop
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import state_hash
from vlm_bench_sim.physics.history import SavedState

ROOT = Path(__file__).parents[2]
SCENE = Scene((prop('a', 'star', 0.45, 0.0, yaw=0.3), prop('b', 'cylinder', 0.5, 0.1), prop('t', 'tray', 0.5, -0.2)))
OTHER = Scene((prop('a', 'moon', 0.4, 0.1), prop('c', 'cube', 0.5, 0.0)))
AWAY = Joints((0.4, -0.5, 0.1, -2.2, 0.0, 1.7, 0.5))
SCRIPT = {0: AWAY, 2: Grip(0.02), 6: Joints(PROFILE.home), 9: Stop(), 10: Grip(0.08)}
PERIODS = 14


def play(world, scene: Scene, periods: int = PERIODS) -> list[str]:
    """The state hashes of the script in that scene."""
    hashes = [state_hash(world.load(scene))]
    for period in range(periods):
        if period in SCRIPT:
            world.apply(SCRIPT[period])
        hashes.append(state_hash(world.step()))
    return hashes


@pytest.fixture(scope='module')
def played(engine) -> list[str]:
    world = engines.world(PROFILE, engine)
    hashes = play(world, SCENE)
    world.close()
    return hashes


def test_the_script_moves_something(played):
    assert len(set(played)) == PERIODS + 1


def test_a_scene_loaded_again_replays_exactly(world, played):
    """Nothing of what was there before is left over."""
    assert play(world, OTHER) != played
    assert play(world, SCENE) == played
    assert play(world, SCENE) == played


def test_two_worlds_in_one_process_do_not_disturb_each_other(world, played, engine):
    second = engines.world(PROFILE, engine)
    alone = play(second, OTHER)
    first_hashes, second_hashes = [state_hash(world.load(SCENE))], [state_hash(second.load(OTHER))]
    for period in range(PERIODS):
        for one, hashes in ((world, first_hashes), (second, second_hashes)):
            if period in SCRIPT:
                one.apply(SCRIPT[period])
            hashes.append(state_hash(one.step()))
    second.close()
    assert (first_hashes, second_hashes) == (played, alone)
    assert world.state_hash() == played[-1]


def test_other_processes_with_other_hash_seeds_replay_exactly(played, engine):
    program = (
        f'import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_determinism as t\n'
        f'print(*t.play(t.engines.world(t.PROFILE, {engine!r}), t.SCENE))'
    )
    environment = os.environ | {'PYTHONPATH': os.pathsep.join(filter(None, (str(ROOT), os.environ.get('PYTHONPATH'))))}
    processes = [
        subprocess.Popen(
            [sys.executable, '-c', program], cwd=ROOT, env=environment | {'PYTHONHASHSEED': seed}, stdout=subprocess.PIPE, text=True
        )
        for seed in ('0', '4242')
    ]
    assert [process.communicate(timeout=300)[0].split() for process in processes] == [played, played]


def test_a_millionth_of_a_micrometre_changes_the_hash(world):
    first = world.load(SCENE)
    moved = world.place('a', first.pose('a').shifted((1e-12, 0.0, 0.0)))
    there = world.state_hash()
    back = world.place('a', first.pose('a'))
    assert moved.pose('a').position[0] - first.pose('a').position[0] == pytest.approx(1e-12, rel=1e-2)
    assert state_hash(moved) == there
    assert world.state_hash() == state_hash(back)
    assert there != world.state_hash()


def test_a_saved_state_is_reached_again_bit_for_bit_here_and_in_another_world(world, engine):
    played_once = play(world, SCENE, 7)
    world.place('b', Pose((0.55, 0.25, 0.05)))
    placed = world.state_hash()
    saved = world.save()
    after = [state_hash(s) for s in steps(world, 5)]
    second = engines.world(PROFILE, engine)
    second.load(OTHER)
    text = codec.dumps(saved)
    for one, state in ((world, saved), (second, saved), (second, codec.loads(text))):
        restored = one.restore(state)
        assert (restored.seq, one.state_hash()) == (7, placed)
        assert [state_hash(s) for s in steps(one, 5)] == after
    second.close()
    assert isinstance(codec.loads(text), SavedState)
    assert placed not in played_once


def test_a_saved_grasp_is_held_again(world, planner):
    world.load(around(planner, prop('a'), 0.06))
    world.apply(Grip(0.0))
    steps(world, 12)
    saved = world.save()
    before = world.snapshot
    assert before.held == 'a'
    steps(world, 3)
    assert world.restore(saved) == before
