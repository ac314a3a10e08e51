"""What was carried, as maps and tool poses: by made-up states, and by bags of the expert."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

pytest.importorskip('moderngl')

from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.fusion import PLOTS, Plot
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import Body, Snapshot
from vlm_bench_sim.profiles import cameras, robot
from vlm_bench_sim.ros.fields import read_snapshot
from vlm_bench_tasks.actions.spaces import pose_numbers
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.dataset.exports.maps import Survey, at_home, carries

PLOT = PLOTS['cliport_6d']


OPEN, SHUT = 0.08, 0.04


def told(*states):
    """Snapshots of what is held, how high the tool is, m, and where the thing stands; the tool's x says which one it is.

    Fingers are closed where something is held.
    """
    return [
        Snapshot(
            i, 12 * i, {}, Pose((float(i), 0.0, z)), SHUT if held else OPEN, held,
            {name: Body(Pose((float(i) if held else 0.0, 0.0, 0.0))) for name in 'ab'},
        )
        for i, (held, z) in enumerate(states)
    ]  # fmt: skip


def times(states):
    return [(one.before.seq, one.pick.position[0], one.place.position[0]) for one in carries(states)]


def still(states):
    """The same with all things where they stood first."""
    return [replace(now, bodies=states[0].bodies) for now in states]


CARRY = ('', 0.3), ('', 0.5), ('', 0.0), ('a', 0.0), ('a', 0.4), ('a', 0.1), ('', 0.1)


def test_a_carry_begins_where_the_tool_was_highest_and_ends_with_the_last_state_that_holds():
    assert times(still(told(*CARRY))) == [(1, 3.0, 5.0)]


def test_the_next_one_begins_after_the_last():
    states = (('', 0.9), ('a', 0.0), ('a', 0.0), ('', 0.0), ('', 0.4), ('', 0.1), ('b', 0.0), ('b', 0.2), ('', 0.2))
    assert times(still(told(*states))) == [(0, 1.0, 2.0), (4, 6.0, 7.0)]


@pytest.mark.parametrize(
    'states',
    [(('', 0.3), ('', 0.1)), (('', 0.3), ('a', 0.1), ('a', 0.3)), (('a', 0.3), ('a', 0.1), ('', 0.1)), (('', 0.3), ('a', 0.1), ('', 0.1))],
    ids=['nothing', 'still held', 'held from the beginning', 'brought nowhere'],
)
def test_what_was_not_taken_and_brought_elsewhere_is_no_carry(states):
    assert not times(still(told(*states)))


def test_what_had_moved_before_it_was_taken_is_no_carry():
    assert not times(told(*CARRY))


def test_a_thing_on_which_no_fingers_closed_or_that_slipped_out_is_no_carry():
    states = still(told(*CARRY))
    assert not times([replace(now, opening=SHUT if now.seq < 3 else now.opening) for now in states])
    assert not times([*states[:-1], replace(states[-1], opening=0.0)])


def test_cups_have_no_opening():
    assert times([replace(now, opening=0.0) for now in still(told(*CARRY))]) == [(1, 3.0, 5.0)]


def test_a_link_of_furniture_counts_as_at_its_place():
    states = [replace(now, held='chest/drawer' if now.held else '', bodies={}) for now in told(*CARRY)]
    assert times(states) == [(1, 3.0, 5.0)]


def test_the_arm_is_put_home_and_nothing_else():
    panda = robot('panda')
    (now,) = told(('', 0.3))
    assert at_home(panda, now).arm(panda.joints) == panda.home
    assert at_home(panda, now).tool == now.tool


@pytest.mark.parametrize(
    ('survey', 'says'),
    [
        ({'plot': 'cliport'}, 'cliport_6d'),
        ({'cameras': 'none'}, 'camera'),
        ({'pixel': -1.0}, 'of the plot'),
        ({'pixel': 1e-5}, 'too large'),
        ({'pixel': 1.0}, 'a pixel or more'),
    ],
)
def test_what_cannot_be_drawn_is_refused(survey, says):
    with pytest.raises(ConfigError, match=says):
        Survey(**survey)


def test_maps_can_be_coarser():
    assert Survey('lohoravens', pixel=0.00625).area.shape == (160, 80) and Survey('lohoravens').area.shape == (320, 160)


def test_bags_in_which_nothing_was_carried_are_refused(recorded, tmp_path):
    done = CliRunner().invoke(app, ['export', 'maps', str(recorded[1][2][0]), str(tmp_path / 'out'), '--failures'])
    assert done.exit_code == 2 and 'was a thing taken and let go' in ' '.join(done.output.split())
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope='module')
def exported(recorded, tmp_path_factory):
    folder, _ = recorded
    to = tmp_path_factory.mktemp('maps') / 'out'
    done = CliRunner().invoke(app, ['export', 'maps', str(folder), str(to), '--size', '128x128'])
    assert done.exit_code == 0, done.output
    assert done.output.startswith('2 episodes, 2 carries')
    return {path.stem: np.load(path) for path in to.rglob('*.npz')}


def test_the_maps_show_what_was_carried_where_the_hand_took_it(recorded, exported):
    for path, _, _ in recorded[1][:2]:
        file, states = exported[path.name], [read_snapshot(message) for _, _, message in open_bag(path).messages('/truth/world_state')]
        held = next(state.held for state in states if state.held)
        assert file['map.color'].shape == (1, *PLOT.shape, 3) and file['map.height'].shape == file['map.views'].shape == (1, *PLOT.shape)
        assert np.hypot(*(file['pick'][0, :2] - states[0].pose(held).position[:2])) < 0.04  # it may be gripped at its rim
        row, column = PLOT.cell(states[0].pose(held).position)
        around = file['map.height'][0, row - 8 : row + 9, column - 8 : column + 9] + PLOT.low[2]
        assert around.max() > 0.02  # something stands there, on a table at 0
        assert np.median(file['map.height'][0]) + PLOT.low[2] == pytest.approx(0.0, abs=0.005)
        assert file['opening'].tolist() == pytest.approx([states[0].opening])


def test_a_file_tells_how_each_camera_stood_that_the_maps_are_made_of(recorded, exported):
    known = {camera.name: camera for camera in cameras('vlmbench', 128, 128)}
    for path, stray in zip((path for path, _, _ in recorded[1][:2]), (False, True), strict=True):  # the second is perturbed
        file = exported[path.name]
        off = np.abs(file['camera_pose.front'][0] - np.float32(pose_numbers(known['front'].pose))).max()
        assert 0.002 < off < 0.1 if stray else off < 1e-6
        assert {name for name in file.files if name.startswith('intrinsics.')} == {f'intrinsics.{name}' for name in known}
        for name, camera in known.items():
            assert np.allclose(file[f'intrinsics.{name}'], camera.intrinsics) and file[f'camera_pose.{name}'].shape == (1, 7)


def test_a_file_says_what_was_asked_and_how_its_maps_lie(exported):
    about = json.loads(str(next(iter(exported.values()))['metadata']))
    assert Plot(**about['plot'] | {'low': tuple(about['plot']['low']), 'high': tuple(about['plot']['high'])}) == PLOT
    assert about['bag']['instruction'] and about['survey']['cameras'] == 'vlmbench'
