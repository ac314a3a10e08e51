"""Whatever a server answers, a policy behind it gives a command for the arm or one fault, and a model a sentence or one problem."""

import json

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from test.chat_server import raw, serving
from test.fuzz import junk, tries
from test.policy_server import running
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import JointState
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.profiles import robot
from vlm_bench_tasks.actions import SPACES
from vlm_bench_tasks.agents.chat import LONGEST, Endpoint
from vlm_bench_tasks.agents.models import LanguagePlanner, VisionReporter, colored
from vlm_bench_tasks.agents.roles import DONE, Problem, StepReport
from vlm_bench_tasks.agents.steps import readings
from vlm_bench_tasks.evaluation import wire
from vlm_bench_tasks.evaluation.answers import checked
from vlm_bench_tasks.evaluation.faults import PolicyFault
from vlm_bench_tasks.evaluation.server_observations import ServerObservations
from vlm_bench_tasks.evaluation.socket_player import Manners, SocketPlayer
from vlm_bench_tasks.policy import EpisodeContext, Observation

NOTHING = ServerObservations('openpi', (), lambda: 0.0)

PANDA = robot('panda')
PROMPT = 'Pick it up.'
KINDS = ('<f8', '<f4', '>f2', '<i8', '|u1', '|b1', 'O', 'V3', 'S2', 'M8[s]', 'c16', '<f8,<f8', 'U1', '', 'x')
numbers = st.one_of(st.floats(), st.floats(width=32), st.integers(-(2**63), 2**64 - 1), st.booleans())
rows = st.lists(st.lists(numbers, min_size=7, max_size=8), min_size=1, max_size=3)
calm = st.lists(st.lists(st.floats(-1e3, 1e3), min_size=7, max_size=8), min_size=1, max_size=3)
arrays = st.builds(
    lambda data, kind, shape, is_array: {
        b'__ndarray__' if is_array else b'__npgeneric__': True, b'data': data, b'dtype': kind, b'shape': shape,
    },
    st.one_of(st.binary(max_size=120), junk), st.one_of(st.sampled_from(KINDS), junk),
    st.one_of(st.lists(st.integers(-1, 9), max_size=3), junk), st.booleans(),
)  # fmt: skip
actions = st.one_of(rows, calm, arrays, junk, rows.map(lambda given: np.array(given[:1], dtype=float)))
answers = st.one_of(
    st.one_of(actions, actions, junk).flatmap(
        lambda value: st.sampled_from(({'actions': value}, {'actions': value, 'server_timing': value}, value))
    ),
    st.binary(max_size=60),
)


def packed(answer):
    """The bytes of an answer; one that msgpack has no form for becomes text."""
    if isinstance(answer, bytes):
        return answer
    try:
        return wire.pack(answer)
    except (TypeError, ValueError, OverflowError):
        return repr(answer).encode(errors='replace')


@pytest.fixture(scope='module')
def server():
    with running() as served:
        yield served


@pytest.fixture(scope='module')
def kinematics():
    return Kinematics(PANDA)


def seen():
    joints = dict(zip(PANDA.joints, map(JointState, PANDA.home), strict=True))
    return Observation(0.0, joints, Pose((0.4, 0.0, 0.4), (1.0, 0.0, 0.0, 0.0)), 0.04)


@pytest.mark.parametrize('space', SPACES)
@tries(25)
@given(answer=answers)
@example(answer={'actions': {b'__npgeneric__': True, b'data': 3e38 * 2, b'dtype': '<f4'}})
@example(answer={'actions': {b'__npgeneric__': True, b'data': 2**64 - 1, b'dtype': '<i8'}})
@example(answer={'actions': [[1e308] * 7] * 2})
@example(answer={'actions': [[1e308] * 8] * 2})
@example(answer={'actions': [[1e200] * 7] * 2})
@example(answer={'actions': [[1e200] * 8] * 2})
def test_any_answer_of_a_policy_server_is_commands_or_one_fault(server, kinematics, space, answer):
    server.answers[PROMPT] = packed(answer)
    playing = SocketPlayer(Manners(server.address, action=space, seconds=5.0), NOTHING, kinematics=kinematics)
    try:
        playing.reset(EpisodeContext(PROMPT, PANDA))
        for _ in range(4):
            command = playing.act(seen())
            assert checked(command, len(PANDA.joints)) == command
    except PolicyFault as fault:
        assert str(fault).startswith(f'{fault.word}: ')
        assert len(str(fault)) < 400
    finally:
        playing.close()


@tries(100)
@given(st.one_of(answers.map(packed), st.binary(max_size=80)))
def test_any_bytes_are_values_or_no_msgpack_and_never_objects(data):
    try:
        found = wire.unpack(data)
    except ValueError:
        return
    for value in found.values() if isinstance(found, dict) else [found]:
        assert not isinstance(value, np.ndarray) or value.dtype.kind in 'biuf'


STEP = 'pick up the red block and place it on the blue block'
said = st.one_of(
    st.text(max_size=60),
    st.sampled_from(('', DONE, STEP, f'{STEP}\x00', f'1. {STEP}\n{STEP}', '\ud800', 'I see \u202e', 'The step has failed:')),
    junk,
)
bodies = st.one_of(
    said.map(lambda content: {'choices': [{'message': {'role': 'assistant', 'content': content}}]}),
    junk.map(lambda choices: {'choices': choices}), junk.map(lambda choice: {'choices': [choice]}),
    junk.map(lambda message: {'choices': [{'message': message}]}), junk,
).map(lambda body: json.dumps(body).encode())  # fmt: skip


@pytest.fixture(scope='module')
def model():
    with serving('') as (served, url):
        yield served, Endpoint(url, 'small', timeout=5.0)


def problem(found):
    assert found.text and len(found.text) < 400 and found.text.isprintable(), found
    return True


@tries(60)
@given(st.one_of(bodies, st.binary(max_size=60)), st.sampled_from((200, 200, 200, 204, 301, 404, 500)))
def test_any_answer_of_a_model_is_a_step_and_a_report_or_one_problem_each(model, body, status):
    served, endpoint = model
    served.answers = [raw(body, status)]
    step = LanguagePlanner(endpoint).next_step('Stack them.', [StepReport()])
    assert (isinstance(step, Problem) and problem(step)) or step == DONE or readings(step)
    picture = colored(np.zeros((4, 6, 3), np.uint8))
    now = Observation(0.0, {}, Pose(), 0.0, pictures={'top': picture})
    report = VisionReporter(endpoint).report(STEP, now, now)
    assert (isinstance(report, Problem) and problem(report)) or max(len(report.observation), len(report.action)) <= LONGEST
