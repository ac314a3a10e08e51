"""Models behind HTTP are asked once a step; whatever they answer, or fail to, is a step, a report or one problem, in time."""

import base64
import json
import socket

import cv2
import numpy as np
import pytest

from test.chat_server import cut_off, dripping, raw, serving, silent
from vlm_bench_sim.core.camera import Picture
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_tasks.agents.chat import LARGEST, LONGEST, Endpoint, ask
from vlm_bench_tasks.agents.models import LLM, LanguagePlanner, VisionReporter, step_in
from vlm_bench_tasks.agents.roles import DONE, Problem, StepFault, StepReport
from vlm_bench_tasks.policy import Observation

HELLO = [{'role': 'user', 'content': 'hello'}]
KEY = 'sk-very-secret'
STEP = 'pick up the red block and place it on the blue block'


def endpoint(url, **more) -> Endpoint:
    return Endpoint(url, 'small', **{'api_key': KEY, 'timeout': 5.0, **more})


def observation(**cameras) -> Observation:
    return Observation(0.0, {}, Pose(), 0.0, pictures=cameras)


def picture(red: int) -> Picture:
    color = np.zeros((4, 6, 3), np.uint8)
    color[..., 0] = red
    return Picture(color, np.zeros((4, 6), np.float32), np.zeros((4, 6), np.uint16))


def test_a_question_is_a_chat_completion():
    with serving(' hello ') as (server, url):
        assert ask(endpoint(url), HELLO) == 'hello'
    ((path, authorised, asked),) = server.asked
    assert path == '/v1/chat/completions'
    assert authorised == f'Bearer {KEY}'
    assert (asked['model'], asked['messages'], asked['temperature']) == ('small', HELLO, 0)


def test_without_a_key_none_is_sent():
    with serving('hello') as (server, url):
        ask(endpoint(url, api_key=''), HELLO)
    assert server.asked[0][1] is None


@pytest.mark.parametrize(
    ('answer', 'fault', 'says'),
    [
        ('', StepFault.EMPTY, 'said nothing'),
        (' \n ', StepFault.EMPTY, 'said nothing'),
        (None, StepFault.EMPTY, 'said nothing'),
        ('x' * 10_000, StepFault.TOO_LONG, f'10000 characters; {LONGEST} are allowed'),
        (raw(b'x' * (LARGEST + 1)), StepFault.TOO_LONG, 'more than 1000000 bytes'),
        (7, StepFault.BAD_JSON, 'found int'),
        ([{'type': 'text'}], StepFault.BAD_JSON, 'found list'),
        (raw(b'not json'), StepFault.BAD_JSON, 'is not JSON'),
        (raw(b'\xff\xfe'), StepFault.BAD_JSON, 'is not JSON'),
        (raw(b'[' * 100_000), StepFault.BAD_JSON, 'is not JSON'),
        (raw(b''), StepFault.BAD_JSON, 'is not JSON'),
        (raw(b'{}'), StepFault.BAD_JSON, 'no choices[0].message.content'),
        (raw(b'[]'), StepFault.BAD_JSON, 'no choices[0].message.content'),
        (raw(b'{"choices": []}'), StepFault.BAD_JSON, 'no choices[0].message.content'),
        (raw(b'{"error": "no"}', 500), StepFault.HTTP_STATUS, 'status 500'),
        (raw(f'wrong key {KEY}'.encode(), 401), StepFault.HTTP_STATUS, 'status 401'),
        (raw(b'', 302), StepFault.HTTP_STATUS, 'status 302'),
        (cut_off, StepFault.UNREACHABLE, 'cannot be reached'),
    ],
)
def test_a_bad_answer_is_one_problem_with_a_sentence(answer, fault, says):
    with serving(answer) as (server, url):
        problem = ask(endpoint(url), HELLO)
    assert isinstance(problem, Problem)
    assert problem.fault is fault
    assert says in problem.text
    assert len(problem.text) < 400
    assert KEY not in problem.text
    assert len(server.asked) == 1  # nothing is asked twice


@pytest.mark.parametrize('answer', [silent, dripping])
def test_a_server_that_does_not_come_to_an_end_is_left_in_time(answer):
    with serving(answer) as (_, url):
        problem = ask(endpoint(url, timeout=0.4), HELLO)  # whoever waits for the end hears of a connection that breaks off
    assert (problem.fault, 'in 0.4 s' in problem.text) == (StepFault.TIMEOUT, True)


def test_a_server_that_is_not_there_is_a_problem():
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        problem = ask(endpoint(f'http://127.0.0.1:{free.getsockname()[1]}/v1'), HELLO)
    assert problem.fault is StepFault.UNREACHABLE


def test_the_endpoint_comes_from_the_environment():
    given = {f'{LLM}_BASE_URL': 'http://127.0.0.1:1/v1', f'{LLM}_MODEL': 'm', f'{LLM}_API_KEY': KEY, f'{LLM}_TIMEOUT': '2.5'}
    found = Endpoint.from_environment(LLM, given)
    assert (found.base_url, found.model, found.api_key, found.timeout) == ('http://127.0.0.1:1/v1', 'm', KEY, 2.5)
    assert KEY not in repr(found)


@pytest.mark.parametrize(
    ('changed', 'says'),
    [
        ({'BASE_URL': ''}, 'Set the environment variables VLM_BENCH_LLM_BASE_URL'),
        ({'BASE_URL': '', 'MODEL': ''}, 'Set the environment variables VLM_BENCH_LLM_BASE_URL and VLM_BENCH_LLM_MODEL'),
        ({'BASE_URL': 'ftp://x/v1'}, 'Give one such as'),
        ({'BASE_URL': 'http://'}, 'Give one such as'),
        ({'BASE_URL': 'http://x:99999999'}, 'Give one such as'),
        ({'BASE_URL': 'http://[::1'}, 'Give one such as'),
        ({'TIMEOUT': 'soon'}, 'Give seconds'),
        ({'TIMEOUT': '0'}, 'Give seconds'),
        ({'TIMEOUT': 'nan'}, 'Give seconds'),
        ({'API_KEY': f'{KEY}\n'}, 'The API key of a model'),
    ],
)
def test_a_wrong_environment_is_refused(changed, says):
    given = {'BASE_URL': 'http://127.0.0.1:1/v1', 'MODEL': 'm', **changed}
    with pytest.raises(ConfigError, match=says) as caught:
        Endpoint.from_environment(LLM, {f'{LLM}_{name}': value for name, value in given.items()})
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ('answer', 'step'),
    [
        (STEP, STEP),
        (f'Step 3: {STEP}.', STEP),
        (f'Sure! Here it is:\n\n"{STEP}"\nGood luck.', STEP),
        (f'- **{STEP}**', STEP),
        ('DONE', DONE),
        ('<Done>', DONE),
        ('done.', DONE),
    ],
)
def test_a_step_is_found_in_what_decorates_it(answer, step):
    assert step_in(answer) == step


@pytest.mark.parametrize('answer', ['I cannot help with that.', '{"step": 1}', 'pick up', 'x ' * 2000, '\x00\x01'])
def test_an_answer_without_a_step_is_nonsense(answer):
    problem = step_in(answer)
    assert (problem.fault, len(problem.text) < 400) == (StepFault.NONSENSE, True)


def test_a_language_model_is_told_instruction_examples_and_reports_and_nothing_else():
    with serving(STEP) as (server, url):
        reports = [StepReport('I see a red block in the center.'), StepReport('', 'The step has failed: it fell.'), StepReport()]
        assert LanguagePlanner(endpoint(url), ['An example.']).next_step('Stack all blocks.', reports) == STEP
    system, user = server.asked[0][2]['messages']
    assert system['content'].endswith('An example.')
    assert user['content'].splitlines() == [
        'Instruction: Stack all blocks.',
        'Report 0: I see a red block in the center.',
        'Report 1: The step has failed: it fell.',
        'Report 2: Nothing was reported.',
        'Next step:',
    ]


def test_a_vision_model_is_shown_the_pictures_and_gives_two_sentences():
    look, judged = 'I see a red block in the center.', 'The step has succeeded: the red block is in the center.'
    with serving(f'Well. {look}', judged) as (server, url):
        reporter = VisionReporter(endpoint(url))
        assert reporter.report(STEP, observation(top=picture(10)), observation(top=picture(200))) == StepReport(look, judged)
    shown = [[part for part in asked['messages'][1]['content'] if part['type'] == 'image_url'] for _, _, asked in server.asked]
    assert [len(images) for images in shown] == [1, 2]
    png = base64.b64decode(shown[0][0]['image_url']['url'].removeprefix('data:image/png;base64,'))
    assert cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)[0, 0].tolist() == [0, 0, 200]
    assert STEP in json.dumps(server.asked[1][2])


def test_a_vision_model_is_told_the_examples_of_what_it_is_asked():
    with serving('I see a red block in the center.', 'The step has succeeded: so.') as (server, url):
        reporter = VisionReporter(endpoint(url), looks=['A look.'], judgements=['A judgement.'])
        reporter.report(STEP, observation(top=picture(10)), observation(top=picture(200)))
    ends = [asked['messages'][0]['content'].rpartition('\n\n')[2] for _, _, asked in server.asked]
    assert ends == ['A look.', 'A judgement.']


def test_before_the_first_step_nothing_is_judged():
    with serving('I see a red block in the center.') as (server, url):
        here = observation(top=picture(10))
        assert VisionReporter(endpoint(url)).report('', here, here) == StepReport('I see a red block in the center.')
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ('answers', 'fault'), [(['Nice picture!'], StepFault.NONSENSE), (['I see it.', 'maybe'], StepFault.NONSENSE), ([''], StepFault.EMPTY)]
)
def test_a_report_that_is_none_is_a_problem(answers, fault):
    with serving(*answers) as (_, url):
        here = observation(top=picture(10))
        assert VisionReporter(endpoint(url)).report(STEP, here, here).fault is fault


def test_without_its_camera_a_vision_model_is_not_asked():
    with serving('I see nothing.') as (server, url):
        problem = VisionReporter(endpoint(url), camera='top').report('', observation(front=picture(1)), observation(front=picture(1)))
    assert (problem.fault, 'found: front' in problem.text, server.asked) == (StepFault.EMPTY, True, [])
