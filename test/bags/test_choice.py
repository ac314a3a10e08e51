"""What somebody wants in a bag: words for topics, and pictures a second."""

import pytest

from vlm_bench_sim.bags.choice import ALWAYS, EVERYTHING, Choice, Thinning, read_choice
from vlm_bench_sim.bags.definitions import serialise
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.ros import fields, names

ROWS = names.recorded(robot('panda'), ('front', 'wrist'))


def of(choice, rows=ROWS):
    return {row.name for row in choice.of(rows)} - {row.name for row in ALWAYS}


def test_who_names_nothing_gets_everything():
    assert EVERYTHING.of(ROWS) == ROWS
    assert read_choice() == read_choice(' , ', '') == EVERYTHING


@pytest.mark.parametrize(
    ('topics', 'leave_out', 'kept'),
    [
        ('/tf', '', {'/tf'}),
        ('/tf*', '', {'/tf', '/tf_static'}),
        ('/joint_states, /tf', '', {'/joint_states', '/tf'}),
        ('/cameras/front/color/*', '', {'/cameras/front/color/camera_info', '/cameras/front/color/image_raw/compressed'}),
        ('*/compressed', '/wrist/,key_step', {'/cameras/front/color/image_raw/compressed'}),
        ('/tf*,/clock', 'static', {'/tf', '/clock'}),
        ('/task/report', '', set()),
    ],
)
def test_topics_are_named_whole_or_by_globs_and_left_out_by_parts(topics, leave_out, kept):
    choice = read_choice(topics, leave_out)
    assert of(choice) == kept
    assert {row.name for row in choice.of(ROWS)} >= {row.name for row in ALWAYS}


def test_the_same_words_in_another_order_are_the_same_choice():
    assert read_choice('/tf,/clock', 'boxes,labels', 5.0) == read_choice('/clock, /tf,/tf', 'labels,boxes', 5.0)


def test_what_is_left_out_need_not_be_of_these_cameras():
    assert of(read_choice('', 'boxes'), names.recorded(robot('panda'), ())) == of(EVERYTHING, names.recorded(robot('panda'), ()))


@pytest.mark.parametrize(
    ('choice', 'told'),
    [
        (Choice(topics=('/joint_state',)), 'Did you mean /joint_states'),
        (Choice(topics=('color',)), "No recordable topic matches 'color'"),
        (Choice(topics=('/cameras/overhead/*',)), 'No recordable topic matches'),
        (Choice(leave_out=('boxen',)), "No recordable topic matches 'boxen'"),
        (Choice(leave_out=('world_state',)), '/truth/world_state cannot be left out'),
    ],
)
def test_a_word_that_fits_nothing_or_what_is_always_kept_is_refused(choice, told):
    with pytest.raises(ConfigError, match=told):
        choice.of(ROWS)


@pytest.mark.parametrize('rate', [15.0, 30.0, -1.0])
def test_a_rate_that_the_control_periods_do_not_give_is_refused(rate):
    with pytest.raises(ConfigError, match='Ask for 1, 2, 4, 5, 10, 20'):
        Choice(rate=rate)


def kept(thinning, row, periods):
    found = []
    for period in periods:
        data = serialise(row.type, {'header': fields.header(PERIOD_NS * (period + 1))})
        if thinning.keeps(row, data):
            found.append(period)
    return found


@pytest.mark.parametrize(
    ('rate', 'come', 'stay'),
    [
        (5.0, [0, 2, 4, 6, 8, 10], [0, 4, 8]),
        (5.0, [0, 2, 3, 4, 6, 7, 8], [0, 4, 8]),  # a world that waits shows one picture more
        (10.0, [0, 2, 4, 5, 6], [0, 2, 4, 6]),
        (20.0, [0, 2, 4], [0, 2, 4]),
        (4.0, [1, 3, 7, 9, 11], [1, 7, 11]),  # none came at 5
        (0.0, [0, 1, 2, 2, 3], [0, 1, 2, 2, 3]),
    ],
)
def test_of_the_pictures_in_a_span_of_time_the_first_stays(rate, come, stay):
    thinning = Thinning(rate)
    thinning.begin(PERIOD_NS)
    for row in (names.COLOR_JPEG, names.DEPTH, names.BOXES):
        assert kept(thinning, row.camera('front'), come) == stay
    thinning.begin(PERIOD_NS)
    assert kept(thinning, names.DEPTH.camera('front'), come) == stay


def test_what_does_not_come_with_each_picture_is_not_thinned():
    thinning = Thinning(1.0)
    thinning.begin(PERIOD_NS)
    for row in (names.JOINT_STATES, names.WORLD_STATE, names.KEY_STEP.camera('front')):
        assert kept(thinning, row, range(30)) == list(range(30))
    labels = names.LABELS.camera('front')
    assert all(thinning.keeps(labels, serialise(labels.type, {})) for _ in range(3))
