"""Messages of anything on every public topic, service and action while an episode runs: all is answered, and the next episode is judged."""

import random

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')
pytest.importorskip('simulation_interfaces', reason='needs the generated messages: source scripts/env.sh')

from anything import elsewhere, fields
from running_bench import CHUNK, FOLLOW, GRIPPER, OK, PANDA

from test.fuzz import MORE
from vlm_bench_sim.ros import fields as plain
from vlm_bench_sim.ros import names

pytestmark = [pytest.mark.ros, pytest.mark.long]
TIMES = 100 * MORE
SEED = 7 if MORE == 1 else random.SystemRandom().randrange(1 << 32)
TWIN = names.parallel_gripper(PANDA)
TOPICS = (CHUNK, names.DELTA_TWIST, names.POSE_TARGET, names.ACK)
SERVICES = (names.PLAN, names.GRASPS, names.START_EPISODE, names.SET_LOOK, names.LOAD_SCENE, *names.SIMULATION)
ACTIONS = (FOLLOW, GRIPPER, TWIN, names.MOVE_TCP)
ASIDE = (names.SET_SIMULATION_STATE, names.STEP_SIMULATION, names.SIMULATE_STEPS)
"""They stop the world, or let as many periods pass as they are asked for: not harm but what they are for."""

ENDED = {4, 5, 6}


def sound():
    """What each topic and goal may be, so that not everything falls at the first field."""
    point = {'positions': list(PANDA.home), 'time_from_start': plain.stamp(200_000_000)}
    way = {'joint_names': list(PANDA.joints), 'points': [point]}
    world = {'header': plain.header(0, 'world')}
    return {
        CHUNK: way, FOLLOW: {'trajectory': way}, GRIPPER: {'command': {'position': 0.02}}, TWIN: {'command': {'position': [0.02]}},
        names.DELTA_TWIST: world, names.POSE_TARGET: world | {'pose': {'position': plain.vector((0.4, 0.0, 0.3))}},
    }  # fmt: skip


def test_anything_on_every_name_is_answered_and_the_next_episode_is_judged(bench):
    print('seed', SEED)
    draw, client, known, goals = random.Random(SEED), bench.client, sound(), []
    rows = [row for row in (*TOPICS, *ACTIONS, *SERVICES) if row not in ASIDE]
    asked = rows + draw.choices(rows, [3 if row in known else 1 for row in rows], k=TIMES - len(rows))
    for row in asked:
        if not bench.runs:
            bench.begin()
        content = fields(row.type, draw)
        if row in known and draw.random() < 0.7:
            content = elsewhere(known[row], draw, content)
        if row.kind is names.Kind.TOPIC:
            client.say(row, content)
        elif row.kind is names.Kind.ACTION:
            goals.append(client.send(row, content))
        else:
            client.ask(row, content)
        client.rest(0.01)
        bench.check()
    assert client.ask(names.RESET_SIMULATION, {}).result.result == OK
    ended = [goal.result(60).status for goal in goals if goal.accepted]
    assert set(ended) <= ENDED and 4 in ended, 'some of them are more than refused'
    print('accepted', len(ended), 'of', len(goals))
    clocks = [plain.read_stamp(clock.clock) for clock in client.heard(names.CLOCK)]
    assert clocks == sorted(clocks)
    bench.forget()
    bench.begin()
    assert client.send(FOLLOW, known[FOLLOW]).result().status == 4, 'and it works as before'
    assert client.heard(names.CLOCK), 'the clock goes on'
    report = bench.stop_episode()
    assert report.verdict == 2, report.causes  # a failure: nothing was done, and nothing is the bench's fault
