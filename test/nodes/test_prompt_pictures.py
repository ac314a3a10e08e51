"""Pictures of instructions over DDS: those that are drawn in one process, for every subscriber, and no request breaks who draws them."""

import json
import re
from hashlib import sha256
from pathlib import Path

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')
pytest.importorskip('moderngl')

from test.films import CUBE
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.command import Stop
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.prompts import OBJECT, PromptPicture
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.prompts import read_pngs
from vlm_bench_tasks import catalogue, graph
from vlm_bench_tasks.language.pictures import FIRST_FRAME, PICTURES, WORDS
from vlm_bench_tasks.policy import Policy
from vlm_bench_tasks.run import Bench

pytestmark = pytest.mark.ros
OK, INVALID, INVALID_PROMPT = 1, 101, 107
TASK, SEED = 'vlmbench/pick_place', 3
ROWS = (names.INSTRUCTION, names.EPISODE)
ALONE = PromptPicture(OBJECT, Scene((CUBE,)), 'clevrskills:object', width=64, height=64)


class Notes(Policy):
    """Writes down what it is told, a line for each instruction, and stops."""

    def __init__(self, file):
        self._file = Path(file)

    def reset(self, context):
        told = [[image.role, digest(image.png), digest(image.color.tobytes()), *image.color.shape] for image in context.pictures]
        with self._file.open('a') as file:
            file.write(json.dumps([context.instruction, told]) + '\n')

    def act(self, observation):
        return Stop()


def digest(data):
    return sha256(data).hexdigest()


@pytest.fixture(scope='module')
def here():
    """The episode as it is built and drawn in this process: its instruction and its pictures, by prompt."""
    bench, found = Bench('panda'), {}
    for prompt in (WORDS, PICTURES, FIRST_FRAME):
        episode = catalogue.build(TASK, 'seen', SEED, prompt=prompt)
        found[prompt] = episode.instruction, bench.prompt_images(episode)
    bench.close()
    return found


@pytest.fixture(scope='module')
def showing(start_bench, module_domain):
    """A bench that asks with pictures unless an episode is started otherwise."""
    with start_bench(domain=module_domain, pictures=True, prompt=FIRST_FRAME) as bench:
        bench.client.listen(*ROWS)
        yield bench


@pytest.fixture
def asking(showing):
    """The same, and what is heard is of this test."""
    showing.check()
    showing.forget()
    return showing


def told(bench, client=None):
    """The instruction of the episode that runs, as a client hears it."""
    client = client or bench.client
    client.wait(lambda: any(said.token == bench.token for said in client.heard(names.INSTRUCTION)), 'the instruction')
    return next(said for said in client.heard(names.INSTRUCTION) if said.token == bench.token)


def assert_told(message, expected):
    """Compare an instruction with that of one process."""
    instruction, images = expected
    assert (message.text, list(message.paraphrases)) == (instruction.text, list(instruction.paraphrases))
    assert list(message.roles) == [image.role for image in images]
    assert [bytes(picture.data) for picture in message.pictures] == [image.png for image in images]
    assert {picture.format for picture in message.pictures} <= {'png'}
    assert list(read_pngs(message)) == [(image.role, image.png) for image in images]


def test_the_instruction_is_that_of_one_process_for_whoever_comes_and_however_late(asking, here):
    from policy_client import PolicyClient

    asking.begin(seed=SEED)
    assert_told(told(asking), here[FIRST_FRAME])
    assert len(told(asking).pictures) == 3 and not told(asking).renewed
    late = PolicyClient(asking.domain, name='late_policy')
    try:
        late.listen(*ROWS)
        late.wait(lambda: all(late.heard(row) for row in ROWS), 'what is latched')
        assert_told(told(asking, late), here[FIRST_FRAME])
        assert late.heard(names.EPISODE)[-1].prompt == FIRST_FRAME
    finally:
        late.close()


def test_each_episode_is_asked_as_it_was_started(asking, here):
    for given, prompt in ((PICTURES, PICTURES), (WORDS, WORDS), ('', FIRST_FRAME)):
        asking.forget()
        asking.begin(seed=SEED, prompt=given)
        assert_told(told(asking), here[prompt])
        asking.wait(lambda: any(said.token == asking.token for said in asking.client.heard(names.EPISODE)), 'the episode')
        assert asking.client.heard(names.EPISODE)[-1].prompt == prompt
    assert not here[WORDS][1] and len(here[PICTURES][1]) == 2


@pytest.mark.parametrize(
    ('prompt', 'says'),
    [
        ('picture', 'There is no prompt called .picture.. Did you mean pictures'),
        ('pictures, first_frame', 'Did you mean pictures,first_frame'),
        ('\x1b[31m\r\n{[' * 500, 'There is no prompt called'),
    ],
    ids=['near', 'nearer', 'hostile'],
)
def test_an_unknown_prompt_has_its_number_and_a_sentence_and_leaves_the_episode_alone(asking, prompt, says):
    token = asking.begin(seed=SEED, prompt=WORDS)
    answer = asking.client.ask(names.START_EPISODE, {'prompt': prompt})
    assert (answer.result.result, answer.token) == (INVALID_PROMPT, '')
    text = answer.result.error_message
    assert re.search(says, text) and text.isprintable() and len(text) < 400
    assert asking.runs and asking.client.heard(names.STATUS)[-1].token == token


@pytest.mark.parametrize('task', [task for task in catalogue.tasks() if WORDS not in catalogue.task(task).prompts][:1])
def test_a_task_that_cannot_be_asked_so_has_the_same_number(asking, task):
    answer = asking.client.ask(names.START_EPISODE, {'task': task, 'prompt': WORDS})
    assert answer.result.result == INVALID_PROMPT and 'cannot be asked in words' in answer.result.error_message


def draw(bench, text):
    return bench.client.ask(names.DRAW_PROMPT, {'pictures': text}, again=True)


HOSTILE = {
    'no json': ('a picture', 'Expected JSON'),
    'nothing': ('', 'Expected JSON'),
    'deep': ('[' * 50_000, 'Expected JSON'),
    'another value': (codec.dumps(CUBE), 'found that of a Prop'),
    'not alone': (codec.dumps((ALONE, CUBE)), 'found that of a Prop'),
    'no list': (codec.dumps(ALONE), 'The JSON of pictures'),
    'eleven': (codec.dumps((ALONE,) * 11), 'at most 10 pictures; 11 were requested'),
    'huge': (codec.dumps((ALONE,)).replace('"width":64', '"width":100000'), '100000 x 64 pixels'),
    'long': (codec.dumps((ALONE,)).replace('"width":64', '"width":900000').replace('"height":64', '"height":1'), 'pixels'),
    'no role': (codec.dumps((ALONE,)).replace('"role":"object"', '"role":"mood"'), "no role 'mood'"),
    'no camera': (codec.dumps((ALONE,)).replace('clevrskills:object', 'clevrskills:objct'), 'Did you mean object'),
    'no shape': (codec.dumps((ALONE,)).replace('"kind":"cube"', '"kind":"cubee"'), 'cubee'),
    'not finite': (codec.dumps((ALONE,)).replace('"mass":0.07', '"mass":1e999'), 'not finite'),
}


@pytest.mark.parametrize('name', HOSTILE)
def test_what_cannot_be_drawn_is_answered_with_a_sentence_and_the_node_goes_on(asking, name):
    text, says = HOSTILE[name]
    assert text != codec.dumps((ALONE,))
    answer = draw(asking, text)
    assert answer.result.result == INVALID, answer.result.error_message
    assert says in answer.result.error_message and not answer.pictures and not answer.roles
    asking.check()
    after = draw(asking, codec.dumps((ALONE,)))
    assert after.result.result == OK and list(after.roles) == [OBJECT] and len(after.pictures) == 1


def test_pictures_are_drawn_for_the_bench_alone():
    assert names.DRAW_PROMPT.private and not names.INSTRUCTION.private


@pytest.mark.parametrize('prompt', [PICTURES, FIRST_FRAME])
def test_a_bench_without_the_node_that_draws_refuses_to_ask_with_pictures(prompt):
    with pytest.raises(ConfigError, match=r'needs picture_node. Set pictures:=true, or ask in words'):
        graph.bench({'pictures': False, 'prompt': prompt})
    assert graph.bench({'pictures': False, 'prompt': WORDS})


def test_a_policy_class_over_ros_sees_the_same_pixels(start_bench, domains, tmp_path, here):
    arguments = {'policy': f'test.nodes.test_prompt_pictures:{Notes.__name__}', 'policy_args': f'file={tmp_path}/told.jsonl'}
    with start_bench(domain=domains(), pictures=True, prompt=FIRST_FRAME, **arguments) as bench:
        for prompt in ('', WORDS):
            bench.begin(seed=SEED, prompt=prompt)
            bench.report(seconds=60)
            bench.forget()
        assert 'failed' not in bench.log('policy_node')
    found = [json.loads(line) for line in (tmp_path / 'told.jsonl').read_text().splitlines()]
    for (sentence, images), prompt in zip(found, (FIRST_FRAME, WORDS), strict=True):
        instruction, drawn = here[prompt]
        assert sentence == instruction.text
        assert images == [[one.role, digest(one.png), digest(one.color.tobytes()), 256, 256, 3] for one in drawn]


@pytest.mark.parametrize(('aid', 'kept'), [('oracle_stop', True), ('subgoals', False)])
def test_an_aid_keeps_the_pictures_unless_it_tells_something_else(start_bench, domains, here, aid, kept):
    with start_bench(domain=domains(), pictures=True, prompt=FIRST_FRAME, assist=aid) as bench:
        bench.client.listen(*ROWS)
        bench.begin(seed=SEED)
        message = told(bench)
        assert message.renewed and not message.stop
        if kept:
            assert_told(message, here[FIRST_FRAME])
        else:
            assert message.text.startswith('See to it that ') and '<image' not in message.text
            assert not (message.paraphrases or message.pictures or message.roles)
        bench.stop_episode()
