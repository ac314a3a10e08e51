"""The services of simulation_interfaces over real DDS: a simulator by itself, and a client that provokes every code."""

import random
from itertools import pairwise

import pytest

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('simulation_interfaces', reason='needs the generated messages: source scripts/env.sh')

from served_simulator import CHUNK, PANDA, SCENE, Simulator, wish  # noqa: E402

from vlm_bench_sim.core import codec  # noqa: E402
from vlm_bench_sim.core.timing import PERIOD_NS  # noqa: E402
from vlm_bench_sim.ros import fields, names  # noqa: E402
from vlm_bench_sim.ros.names import Kind  # noqa: E402
from vlm_bench_sim.ros.simulation import Feature, Spawn, State, Transition  # noqa: E402

pytestmark = pytest.mark.ros

UNSUPPORTED, OK, NOT_FOUND, WRONG_STATE, FAILED = range(5)
ABORTED, CANCELED = 6, 5
ASSISTANCE, FAULT = 5, 3
POLICY, BENCH, LEAVE = 0, 1, 2


@pytest.fixture(scope='module')
def simulator(module_domain, tmp_path_factory):
    with Simulator(module_domain, tmp_path_factory.mktemp('simulator') / 'log') as made:
        yield made


@pytest.fixture
def sim(simulator):
    simulator.begin()
    return simulator


# what is offered

ASKS = {
    Feature.SPAWNING: (names.SPAWN_ENTITY, wish(name='one')),
    Feature.SPAWNING_ENTITIES: (names.SPAWN_ENTITIES, {'spawn_requests': [wish(name='two')]}),
    Feature.SPAWNING_RESOURCE_STRING: (names.SPAWN_ENTITY, wish('', definition=codec.dumps(SCENE.prop('star')), name='three')),
    Feature.DELETING: (names.DELETE_ENTITY, {'entity': 'star'}),
    Feature.ENTITY_TAGS: (names.ENTITIES, {'filters': {'tags': {'tags': ['red']}}}),
    Feature.ENTITY_CATEGORIES: (names.ENTITIES, {'filters': {'categories': [{'category': 1}]}}),
    Feature.ENTITY_BOUNDS_BOX: (
        names.ENTITIES,
        {'filters': {'bounds': {'type': 1, 'points': [fields.vector((1, 1, 1)), fields.vector((0, 0, 0))]}}},
    ),
    Feature.ENTITY_BOUNDS: (names.ENTITY_BOUNDS, {'entity': 'robot'}),
    Feature.ENTITY_STATE_GETTING: (names.ENTITIES_STATES, {}),
    Feature.ENTITY_STATE_SETTING: (names.SET_ENTITY_STATE, {'entity': 'pillar', 'state': {}, 'set_pose': True}),
    Feature.ENTITY_INFO_GETTING: (names.ENTITY_INFO, {'entity': 'pillar'}),
    Feature.SPAWNABLES: (names.SPAWNABLES, {}),
    Feature.SIMULATION_RESET: (names.RESET_SIMULATION, {}),
    Feature.SIMULATION_RESET_TIME: (names.RESET_SIMULATION, {'scope': 1}),
    Feature.SIMULATION_RESET_STATE: (names.RESET_SIMULATION, {'scope': 2}),
    Feature.SIMULATION_RESET_SPAWNED: (names.RESET_SIMULATION, {'scope': 4}),
    Feature.SIMULATION_STATE_GETTING: (names.SIMULATION_STATE, {}),
    Feature.SIMULATION_STATE_SETTING: (names.SET_SIMULATION_STATE, {'state': {'state': 0}}),
    Feature.SIMULATION_STATE_PAUSE: (names.SET_SIMULATION_STATE, {'state': {'state': 2}}),
    Feature.STEP_SIMULATION_SINGLE: (names.STEP_SIMULATION, {'steps': 1}),
    Feature.STEP_SIMULATION_MULTIPLE: (names.STEP_SIMULATION, {'steps': 3}),
}
HULL = {'filters': {'bounds': {'type': 2, 'points': [fields.vector(p) for p in ((0, 0, 0), (1, 0, 0), (0, 1, 0))]}}}


def test_the_list_of_features_is_what_is_served(sim):
    """Whatever is listed answers, and whatever is not says that it is not offered: no more and no less."""
    features = sim.ask(names.SIMULATOR_FEATURES).features
    assert set(features.features) == {*ASKS, Feature.STEP_SIMULATION_ACTION}
    assert list(features.spawn_formats) == ['vlm_bench_prop']
    assert '50 ms' in features.custom_info
    for feature in ASKS:
        sim.begin()
        row, content = ASKS[feature]
        if row is names.STEP_SIMULATION:
            sim.pause()
        assert sim.code(row, **content) == OK, feature
    assert sim.private.send(names.SIMULATE_STEPS, {'steps': 1}).accepted
    assert {row.name: sim.code(row) for row in names.UNSUPPORTED} == {row.name: UNSUPPORTED for row in names.UNSUPPORTED}
    assert sim.code(names.ENTITIES, **HULL) == UNSUPPORTED


def test_every_interface_of_the_package_is_served(sim):
    from simulation_interfaces import action, srv

    there = {f'simulation_interfaces/srv/{name}' for name in dir(srv) if name[0].isupper() and '_' not in name}
    there |= {f'simulation_interfaces/action/{name}' for name in dir(action) if name[0].isupper() and '_' not in name}
    assert {row.type for row in names.SIMULATION} == there
    services = {row.name for row in names.SIMULATION if row.kind is Kind.SERVICE}
    sim.private.wait(lambda: services <= {name for name, _ in sim.private.nodes[-1].get_service_names_and_types()}, 'every service')


# time


def test_no_period_runs_while_paused_and_what_ran_is_aborted(sim):
    goal = sim.moving()
    sim.pause()
    ended = goal.result()
    assert ended.status == ABORTED
    assert 'paused' in ended.result.error_string
    sim.quiet()
    held, count = sim.arm(), len(sim.ticks)
    assert not sim.move().accepted
    since = len(sim.output.read_text())
    sim.client.say(
        CHUNK, {'joint_names': list(PANDA.joints), 'points': [{'positions': list(PANDA.home), 'time_from_start': fields.stamp(10**9)}]}
    )
    sim.client.wait(lambda: 'Ignored a trajectory on the topic' in sim.output.read_text()[since:], 'the simulator to hear it')
    sim.quiet()
    assert len(sim.ticks) == count
    assert sim.code(names.SET_SIMULATION_STATE, state={'state': State.PLAYING}) == OK
    assert sim.arm() == held
    assert len(sim.ticks) == count
    back = sim.move(turn=0.0, seconds=1.0)
    assert back.result().status == 4
    told = [tick.seq for tick in sim.ticks]  # 100 are kept for a client that gets no time, and the way before the pause is longer
    assert all(a < b for a, b in pairwise(told))
    assert told[count - 1 :] == list(range(told[count - 1], told[-1] + 1)), 'nothing ran meanwhile, and the way back is shorter than 100'


def test_the_state_of_the_simulation_and_each_code_of_its_transitions(sim):
    def to(state):
        return sim.code(names.SET_SIMULATION_STATE, state={'state': state})

    assert to(State.PLAYING) == Transition.ALREADY_IN_TARGET_STATE
    assert to(State.PAUSED) == OK
    assert sim.ask(names.SIMULATION_STATE).state.state == State.PAUSED
    assert to(State.PAUSED) == Transition.ALREADY_IN_TARGET_STATE
    steps = sim.private.send(names.SIMULATE_STEPS, {'steps': 10**6})
    sim.client.wait(lambda: steps.feedback, 'the first step')
    assert to(State.PLAYING) == Transition.STATE_TRANSITION_ERROR
    assert sim.code(names.STEP_SIMULATION) == WRONG_STATE
    steps.cancel()
    assert steps.result().status == CANCELED
    assert to(State.STOPPED) == OK
    assert to(State.PAUSED) == Transition.INCORRECT_TRANSITION
    assert sim.code(names.STEP_SIMULATION) == WRONG_STATE
    assert [to(state) for state in (3, 4, 5, 99)] == [UNSUPPORTED] * 4
    assert to(State.PLAYING) == OK


def test_steps_are_control_periods_and_only_while_paused(sim):
    assert sim.code(names.STEP_SIMULATION) == WRONG_STATE
    sim.pause()
    before, begun = len(sim.ticks), sim.clocks[-1]
    assert sim.code(names.STEP_SIMULATION, steps=7) == OK
    sim.client.wait(lambda: len(sim.ticks) == before + 7 and sim.clocks[-1] - begun == 7 * PERIOD_NS, 'seven periods')
    assert sim.code(names.STEP_SIMULATION, steps=0) == OK
    assert sim.code(names.STEP_SIMULATION, steps=2**63) == FAILED
    sim.quiet()
    assert len(sim.ticks) == before + 7
    assert sim.ask(names.SIMULATION_STATE).state.state == State.PAUSED


def test_the_action_tells_of_each_step_and_can_be_canceled(sim):
    def steps(count):
        return sim.private.send(names.SIMULATE_STEPS, {'steps': count})

    def joins(role):
        assert sim.client.ask(names.JOIN, {'participant': 'counter', 'role': role}).result.result == OK

    refused = steps(1).result()
    assert (refused.status, refused.result.result.result) == (ABORTED, WRONG_STATE)
    sim.pause()
    made, most = 5, 10**9
    assert steps(made).result().result.result.result == OK
    joins(POLICY)  # each step waits for us, since a client that gets no time loses feedback
    try:
        goal = steps(most)
        for seq in range(made, made + 5):
            ack, count = {'participant': 'counter', 'token': sim.token, 'seq': seq}, seq - made + 1
            sim.client.insist(
                lambda ack=ack: sim.client.say(names.ACK, ack), lambda count=count: len(goal.feedback) >= count, f'feedback on step {count}'
            )
        goal.cancel()
        ended = goal.result()
    finally:
        joins(LEAVE)
    done = [told.feedback.completed_steps for told in goal.feedback]
    assert done == [1, 2, 3, 4, 5], 'it tells of each step in order'
    assert [told.feedback.remaining_steps for told in goal.feedback] == [most - count for count in done]
    assert (ended.status, ended.result.result.result) == (CANCELED, FAILED)
    sim.quiet()  # it never is while steps are made
    hasty = steps(10**9)
    hasty.cancel()
    assert hasty.result().status == CANCELED


def test_the_log_names_whom_a_step_waits_for(sim):
    def joins(role):
        assert sim.client.ask(names.JOIN, {'participant': 'idler', 'role': role}).result.result == OK

    joins(POLICY)
    try:
        sim.pause()
        goal = sim.private.send(names.SIMULATE_STEPS, {'steps': 2})
        sim.client.wait(lambda: 's for idler to acknowledge' in sim.output.read_text(), 'a word in the log')
        assert not goal.feedback
    finally:
        joins(LEAVE)
    assert goal.result().result.result.result == OK


def test_the_first_period_is_told_again_until_a_part_of_the_bench_has_heard_of_it(sim):
    def joins(role):
        assert sim.client.ask(names.JOIN, {'participant': 'deaf', 'role': role}).result.result == OK

    joins(BENCH)
    try:
        sim.begin()

        def told(row):
            return [said.seq for said in sim.private.heard(row) if said.token == sim.token]

        sim.client.wait(lambda: len(told(names.TICK)) > 2 and len(told(names.WORLD_STATE)) > 2, 'to be told three times')
        assert {*told(names.TICK), *told(names.WORLD_STATE)} == {0}
        ack = {'participant': 'deaf', 'token': sim.token, 'seq': 0}
        sim.client.say(names.ACK, ack)
        sim.quiet(1.5)
    finally:
        joins(LEAVE)


def test_a_reset_ends_the_steps_that_are_being_made(sim):
    sim.pause()
    goal = sim.private.send(names.SIMULATE_STEPS, {'steps': 10**9})
    sim.private.wait(lambda: goal.feedback, 'the first step')
    assert sim.code(names.RESET_SIMULATION) == OK
    ended = goal.result()
    assert (ended.status, ended.result.result.result) == (ABORTED, FAILED)


# reset


def test_a_reset_aborts_goals_and_the_robot_holds_where_it_was_reset_to(sim):
    goal = sim.moving()
    assert sim.code(names.RESET_SIMULATION, scope=2) == OK
    ended = goal.result()
    assert ended.status == ABORTED
    assert 'reset' in ended.result.error_string
    sim.at_home()
    sim.pause()
    begun = sim.clocks[-1]
    assert sim.code(names.STEP_SIMULATION, steps=20) == OK
    sim.client.wait(lambda: sim.clocks[-1] - begun >= 20 * PERIOD_NS, 'the clock to tell of all steps')
    sim.quiet()
    assert sim.arm() == pytest.approx(PANDA.home, abs=2e-3), 'the arm has snapped back'
    assert sim.clocks == sorted(sim.clocks)
    sim.private.wait(lambda: any(e.kind == FAULT and 'reset' in e.text for e in sim.private.heard(names.EVENTS)), 'the judge to be told')


def test_the_scopes_of_a_reset(sim):
    fallen = sim.state('star').pose.position
    assert sim.spawn(name='new', position=(0.45, -0.1, 0.2)).result.result == OK
    assert sim.code(names.DELETE_ENTITY, entity='pillar') == OK
    assert (
        sim.code(names.SET_ENTITY_STATE, entity='star', state={'pose': {'position': fields.vector((0.4, 0.0, 0.3))}}, set_pose=True) == OK
    )
    sim.pause()
    assert sim.code(names.STEP_SIMULATION, steps=20) == OK
    begun = sim.clocks[-1]
    answer = sim.ask(names.RESET_SIMULATION, scope=1)
    assert (answer.result.result, 'never runs backwards' in answer.result.error_message) == (OK, True)
    assert sim.names() == ['new', 'robot', 'star', 'table']
    assert sim.code(names.RESET_SIMULATION, scope=2) == OK
    assert sim.names() == ['new', 'pillar', 'robot', 'star', 'table']
    assert sim.state('star').pose.position == fallen
    assert sim.state('new').pose.position.z == pytest.approx(0.2)
    assert sim.code(names.RESET_SIMULATION, scope=4) == OK
    assert sim.names() == ['pillar', 'robot', 'star', 'table']
    assert sim.spawn(name='new').result.result == OK
    assert sim.code(names.RESET_SIMULATION) == OK
    assert sim.names() == ['pillar', 'robot', 'star', 'table']
    assert sim.code(names.RESET_SIMULATION, scope=8) == UNSUPPORTED
    sim.client.wait(lambda: sim.clocks[-1] > begun, 'the clock to go on')
    assert sim.clocks == sorted(sim.clocks)


def test_stopping_starts_over_and_stays_there(sim):
    sim.spawn(name='new')
    goal = sim.moving()
    assert sim.code(names.SET_SIMULATION_STATE, state={'state': State.STOPPED}) == OK
    assert goal.result().status == ABORTED
    assert sim.names() == ['pillar', 'robot', 'star', 'table']
    sim.at_home()


# entities


def test_what_is_spawned_is_there_falls_and_can_be_told_of(sim):
    sim.pause()
    answer = sim.spawn('vlm_bench://cube?size=0.05&color=blue&mass=0.1', name='new', position=(0.45, -0.1, 0.2))
    assert (answer.result.result, answer.entity_name) == (OK, 'new')
    assert sim.state('new').pose.position.z == pytest.approx(0.2)
    assert sim.code(names.STEP_SIMULATION, steps=20) == OK
    assert sim.state('new').pose.position.z == pytest.approx(0.025, abs=1e-3)
    sim.private.wait(lambda: any('new' in codec.loads(told.scene).ids for told in sim.private.heard(names.SCENE)), 'the scene to hold it')

    def told():
        states = {state.seq: state for state in sim.private.heard(names.WORLD_STATE) if state.token == sim.token}
        return [fields.read_snapshot(state) for state in states.values()]

    def confessed():
        return any(e.kind == ASSISTANCE and e.text == 'simulation_services' for e in sim.private.heard(names.EVENTS))

    sim.private.wait(lambda: any(state.touches('new', 'table') for state in told()[-1:]), 'the world state to tell of the contact')
    states = told()
    assert [state.seq for state in states] == list(range(len(states))), 'there is one snapshot a period'
    sim.private.wait(confessed, 'the judge to be told')
    info = sim.ask(names.ENTITY_INFO, entity='new').info
    assert (info.category.category, info.description, list(info.tags)) == (0, 'blue cube', ['cube', 'blue', 'spawned'])
    upper = sim.ask(names.ENTITY_BOUNDS, entity='new').bounds.points[0]
    assert (upper.x, upper.y, upper.z) == pytest.approx((0.025,) * 3)


def test_a_definition_and_a_frame_and_another_name(sim):
    definition = codec.dumps(SCENE.prop('star'))
    first = sim.spawn('', definition=definition, frame='pillar', position=(0.0, 0.0, 0.3), allow_renaming=True)
    assert (first.result.result, first.entity_name) == (OK, 'star_1')
    assert sim.state('star_1').pose.position.z == pytest.approx(0.45)
    assert sim.spawn(allow_renaming=True).entity_name == 'cube_1'


@pytest.mark.parametrize(
    ('given', 'code'),
    [
        ({'name': 'star'}, Spawn.NAME_NOT_UNIQUE),
        ({'name': 'robot'}, Spawn.NAME_NOT_UNIQUE),
        ({'name': ''}, Spawn.NAME_INVALID),
        ({'name': '../x'}, Spawn.NAME_INVALID),
        ({'uri': '', 'definition': '<sdf/>'}, Spawn.UNSUPPORTED_FORMAT),
        ({'uri': ''}, Spawn.NO_RESOURCE),
        ({'uri': 'file:///etc/passwd'}, Spawn.NO_RESOURCE),
        ({'uri': 'vlm_bench://../../etc/passwd'}, Spawn.NO_RESOURCE),
        ({'uri': '../cube'}, Spawn.NO_RESOURCE),
        ({'entity_namespace': 'a b'}, Spawn.NAMESPACE_INVALID),
        ({'uri': 'vlm_bench://cube?size=huge'}, Spawn.RESOURCE_PARSE_ERROR),
        ({'uri': '', 'definition': '{"is": "Prop"}'}, Spawn.RESOURCE_PARSE_ERROR),
        ({'uri': '', 'definition': codec.dumps(SCENE.prop('star')).replace('"kind":"star"', '"kind":"teapot"')}, Spawn.MISSING_ASSETS),
        ({'uri': 'vlm_bench://cube?mesh=a.obj'}, Spawn.UNSUPPORTED_ASSETS),
        ({'position': (0.0, 0.0, float('nan'))}, Spawn.INVALID_POSE),
        ({'position': (1e9, 0.0, 0.0)}, Spawn.INVALID_POSE),
        ({'orientation': (0.0, 0.0, 0.0, 0.0)}, Spawn.INVALID_POSE),
        ({'frame': 'moon'}, Spawn.INVALID_POSE),
    ],
)
def test_each_reason_not_to_spawn(simulator, given, code):
    answer = simulator.spawn(**({'name': 'unwanted'} | given))
    assert (answer.result.result, answer.entity_name) == (code, '')
    assert len(answer.result.error_message.split()) > 3
    assert 'unwanted' not in simulator.names()


def test_several_are_spawned_all_or_none(sim):
    good, bad = wish(name='new', position=(0.4, 0.0, 0.1)), wish(name='star')
    answer = sim.ask(names.SPAWN_ENTITIES, spawn_requests=[good, bad, good])
    assert answer.result.result == 150
    assert [result.result.result for result in answer.results] == [FAILED, Spawn.NAME_NOT_UNIQUE, Spawn.NAME_NOT_UNIQUE]
    assert [result.entity_name for result in answer.results] == ['', '', '']
    assert 'new' not in sim.names()
    answer = sim.ask(names.SPAWN_ENTITIES, spawn_requests=[good, good | {'allow_renaming': True}])
    assert (answer.result.result, [result.entity_name for result in answer.results]) == (OK, ['new', 'new_1'])
    assert {'new', 'new_1'} <= set(sim.names())
    assert sim.code(names.SPAWN_ENTITIES, spawn_requests=[]) == OK
    assert sim.code(names.SPAWN_ENTITIES, spawn_requests=[good] * 201) == FAILED


def test_what_may_be_deleted(sim):
    assert sim.code(names.DELETE_ENTITY, entity='star') == OK
    assert sim.code(names.DELETE_ENTITY, entity='star') == NOT_FOUND
    assert [sim.code(names.DELETE_ENTITY, entity=name) for name in ('robot', 'table')] == [FAILED, FAILED]
    assert sim.spawn(name='star').result.result == Spawn.NAME_NOT_UNIQUE, 'a reset brings the star back'
    assert sim.names() == ['pillar', 'robot', 'table']


def test_what_does_not_exist_is_not_found(sim):
    rows = (names.ENTITY_STATE, names.ENTITY_INFO, names.ENTITY_BOUNDS, names.SET_ENTITY_STATE, names.DELETE_ENTITY)
    assert [sim.code(row, entity='stra') for row in rows] == [NOT_FOUND] * 5
    assert 'star' in sim.ask(names.ENTITY_STATE, entity='stra').result.error_message


def test_an_entity_is_put_elsewhere_and_moves_on(sim):
    pose = {'position': fields.vector((0.5, 0.0, 0.4)), 'orientation': {'x': 0.0, 'y': 0.0, 'z': 0.7, 'w': 0.714}}
    twist = {'linear': fields.vector((0.0, 0.5, 0.0)), 'angular': fields.vector((0.0, 0.0, 1.0))}
    sim.pause()
    assert sim.code(names.SET_ENTITY_STATE, entity='star', state={'pose': pose, 'twist': twist}, set_pose=True, set_twist=True) == OK
    state = sim.state('star')
    q = state.pose.orientation
    assert state.header.frame_id == 'world'
    assert q.x**2 + q.y**2 + q.z**2 + q.w**2 == pytest.approx(1.0, abs=1e-12)
    assert fields.read_vector(state.twist.linear) == pytest.approx((0.0, 0.5, 0.0), abs=1e-9)
    assert sim.code(names.STEP_SIMULATION, steps=2) == OK
    assert sim.state('star').pose.position.y == pytest.approx(0.05, abs=5e-3)
    assert sim.code(names.SET_ENTITY_STATE, entity='star', state={'pose': pose}, set_pose=True) == OK
    assert sim.state('star').twist.linear.y == pytest.approx(0.5, abs=0.1), 'a twist that is not to be set stays'
    assert sim.code(names.SET_ENTITY_STATE, entity='star', state={}, set_twist=True) == OK
    assert fields.read_vector(sim.state('star').twist.linear) == (0.0, 0.0, 0.0)
    assert sim.code(names.SET_ENTITY_STATE, entity='pillar', state={'pose': pose}, set_pose=True) == OK


FAST = {'twist': {'linear': {'x': 1.0}}}


@pytest.mark.parametrize(
    ('entity', 'state', 'flags', 'code'),
    [
        ('star', {'pose': {'position': {'x': float('nan')}}}, ['pose'], 101),
        ('star', {'pose': {'position': {'z': 1e6}}}, ['pose'], 101),
        ('star', {'pose': {'orientation': {'w': 0.0}}}, ['pose'], 101),
        ('star', {'pose': {'orientation': {'w': 2.0}}}, ['pose'], 101),
        ('star', {'header': {'frame_id': 'moon'}}, ['pose'], 101),
        ('star', {'twist': {'linear': {'x': float('inf')}}}, ['pose', 'twist'], FAILED),
        ('star', {'twist': {'angular': {'x': 1e4}}}, ['pose', 'twist'], FAILED),
        ('star', {'acceleration': {'linear': {'x': 1.0}}}, ['pose', 'acceleration'], UNSUPPORTED),
        ('pillar', FAST, ['pose', 'twist'], FAILED),
        ('robot', {}, ['pose'], FAILED),
        ('table', {}, ['pose'], FAILED),
    ],
)
def test_each_reason_not_to_set_a_state_and_nothing_is_changed(simulator, entity, state, flags, code):
    before = simulator.state(entity)
    assert simulator.code(names.SET_ENTITY_STATE, entity=entity, state=state, **{f'set_{flag}': True for flag in flags}) == code
    after = simulator.state(entity)
    assert (after.pose, after.twist) == (before.pose, before.twist)


def test_filters(sim):
    assert sim.names() == ['pillar', 'robot', 'star', 'table']
    assert sim.names(filter='^(star|pillar)$') == ['pillar', 'star']
    assert sim.names(categories=[{'category': 5}]) == ['pillar', 'table']
    assert sim.names(bounds={'type': 3, 'points': [fields.vector((0.5, 0.2, 0.1)), fields.vector((0.09, 0, 0))]}) == ['star']
    states = sim.ask(names.ENTITIES_STATES, filters={'tags': {'tags': ['red']}})
    assert list(states.entities) == ['pillar', 'star']
    assert [state.pose.position.x for state in states.states] == pytest.approx([0.6, 0.5], abs=1e-3)
    assert sim.code(names.ENTITIES, filters={'filter': '('}) == FAILED


def test_every_spawnable_can_be_spawned(sim):
    answer = sim.ask(names.SPAWNABLES, sources=['/usr/share', 'http://example.com'])
    assert answer.result.result == OK
    assert 'http://example.com' in answer.result.error_message
    assert len(answer.spawnables) > 5
    for i, spawnable in enumerate(answer.spawnables):
        assert spawnable.description
        assert spawnable.spawn_bounds.type == 1
        above, beside = i % 20, i // 20
        answer = sim.spawn(spawnable.entity_resource.uri, name=f'kind_{i}', position=(0.3 - beside, 0.0, 1.0 + 0.4 * above))
        assert answer.result.result == OK, answer.result.error_message


# all of it at once


@pytest.mark.parametrize('times', [30, pytest.param(200, marks=pytest.mark.slow)])
def test_no_goal_is_left_without_a_result_whatever_happens(sim, times):
    """Goals, cancels, pauses and resets at moments drawn from a seed; the clock goes on through all of them."""
    draw, goals = random.Random(7), []
    for _ in range(times):
        goals += [sim.move(turn=draw.uniform(-0.3, 0.3), seconds=draw.uniform(0.2, 2.0))]
        sim.client.rest(draw.choice((0.0, 0.02, 0.1)))
        deed = draw.choice(('reset', 'spawned', 'pause', 'cancel', 'nothing'))
        if deed in ('reset', 'spawned'):
            assert sim.code(names.RESET_SIMULATION, scope=2 if deed == 'reset' else 4) == OK
        elif deed == 'pause':
            sim.pause()
            assert sim.code(names.STEP_SIMULATION, steps=draw.randrange(3)) == OK
            assert sim.code(names.SET_SIMULATION_STATE, state={'state': State.PLAYING}) == OK
        elif deed == 'cancel' and goals[-1].accepted:
            goals[-1].cancel()
    ended = [goal.result().status for goal in goals if goal.accepted]
    assert len(ended) > times // 2
    assert set(ended) <= {4, CANCELED, ABORTED}
    assert sim.clocks == sorted(sim.clocks)


def test_a_scored_bench_serves_it_all_where_no_policy_can_look(domains, tmp_path):
    with Simulator(domains(), tmp_path / 'log', scored=True) as scored:
        scored.begin()
        scored.pause()
        assert scored.code(names.STEP_SIMULATION, steps=3) == OK
        goal = scored.private.send(names.SIMULATE_STEPS, {'steps': 10**9})
        scored.private.wait(lambda: goal.feedback, 'the first step')
        assert scored.code(names.RESET_SIMULATION, scope=4) == OK
        goal.cancel()
        assert goal.result().status == CANCELED
        scored.client.rest(1.0)
        public = {name for name, _ in scored.client.nodes[0].get_service_names_and_types()}
        assert not {row.name for row in names.SIMULATION} & public
        assert not any('simulate_steps' in name for name in public)
