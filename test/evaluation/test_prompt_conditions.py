"""How a policy was asked is a condition of its score: reports say it, comparisons refuse to mix it, and servers and pages show it."""

import json
from base64 import b64decode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

pytest.importorskip('moderngl')

from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.core.errors import ConfigError, PromptError
from vlm_bench_sim.core.prompts import OBJECT, SCENE, PromptImage
from vlm_bench_sim.render.png import png
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.dataset.recorded_prompt import recorded_prompt
from vlm_bench_tasks.evaluation import wire
from vlm_bench_tasks.evaluation.compare import compared, differences
from vlm_bench_tasks.evaluation.entries import entries
from vlm_bench_tasks.evaluation.evaluate import evaluated
from vlm_bench_tasks.evaluation.page import page
from vlm_bench_tasks.evaluation.page_strips import strips
from vlm_bench_tasks.evaluation.plan import Asked, planned
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.evaluation.server_observations import FORMS, PROMPT, ROLES, TASK, ServerObservations
from vlm_bench_tasks.language.pictures import FIRST_FRAME, PICTURES, WORDS
from vlm_bench_tasks.policy import EpisodeContext, Observation
from vlm_bench_tasks.run import Bench

PLACE, SEEDS = 'clevrskills/place', range(3, 5)
NOTING = """
import json
from hashlib import sha256
from pathlib import Path
from vlm_bench_sim.core.command import Stop
from vlm_bench_tasks.policy import Policy


class Notes(Policy):
    def reset(self, context):
        told = [[image.role, sha256(image.png).hexdigest()] for image in context.pictures]
        with Path('told.jsonl').open('a') as file:
            file.write(json.dumps([context.instruction, told]) + chr(10))

    def act(self, observation):
        return Stop()
"""


def asked(prompt='', **more):
    return Asked('noting:Notes', PLACE, SEEDS, axis='look', prompt=prompt, **more)


@pytest.fixture(scope='module')
def played(tmp_path_factory):
    """A folder with the reports of two evaluations, with pictures and in words, the bags of the first and what its policy was told."""
    folder = tmp_path_factory.mktemp('evaluation')
    (folder / 'noting.py').write_text(NOTING)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        shown = evaluated(planned(asked(PICTURES, record='bags')), folder / 'pictures.json', processes=1)
        told = [json.loads(line) for line in (folder / 'told.jsonl').read_text().splitlines()]
        spoken = evaluated(planned(asked()), folder / 'words.json', processes=1)
    return folder, shown, spoken, told


@pytest.fixture
def reports(played):
    return played[1:3]


def test_a_report_says_how_the_policy_was_asked(played):
    folder, shown, spoken, _ = played
    assert [row.prompt for row in shown.conditions.tasks] == [PICTURES] and [row.prompt for row in spoken.conditions.tasks] == [WORDS]
    assert EvaluationReport.load(folder / 'pictures.json') == shown and '"prompt": "pictures"' in (folder / 'pictures.json').read_text()
    assert {one.prompt for one in entries(shown)} == {PICTURES} and {one.prompt for one in entries(spoken)} == {WORDS}
    assert shown.decides != spoken.decides
    assert all('<image 1>' in one.instruction for one in shown.episodes) and not any('<image' in one.instruction for one in spoken.episodes)


def test_the_policy_was_told_what_the_bench_draws_and_the_bag_holds(played):
    folder, shown, _, told = played
    bench = Bench('xarm6')
    for seed, (sentence, images), bag in zip(SEEDS, told, shown.circumstances.bags, strict=True):
        built = catalogue.build(PLACE, '', seed, 'look', PICTURES)
        drawn = [[image.role, sha256(image.png).hexdigest()] for image in bench.prompt_images(built)]
        assert (sentence, images) == (built.instruction.text, drawn) and len(images) == 2
        assert [[image.role, sha256(image.png).hexdigest()] for image in recorded_prompt(open_bag(folder / 'bags' / bag))] == drawn
    bench.close()


def test_a_report_names_the_renderer_that_drew_the_pictures(reports):
    shown, spoken = reports
    assert shown.conditions.renderer != 'none' and spoken.conditions.renderer == 'none'


def test_the_physics_is_the_same_however_it_is_asked(reports):
    shown, spoken = reports
    assert [one.state_hash for one in shown.episodes] == [one.state_hash for one in spoken.episodes] != ['', '']


def test_words_and_pictures_are_not_compared(reports):
    shown, spoken = reports
    asked, *others = differences(shown.conditions, spoken.conditions)
    assert asked == f'{PLACE} differs in prompt: pictures and words.'
    assert all('renderer' in why for why in others), 'without cameras, nothing is drawn in words'
    with pytest.raises(ConfigError, match='clevrskills/place differs in prompt: pictures and words'):
        compared(shown, spoken)
    assert compared(shown, shown)


def test_the_command_that_compares_names_the_prompt(played):
    folder = played[0]
    done = CliRunner().invoke(app, ['compare', str(folder / 'pictures.json'), str(folder / 'words.json')])
    assert done.exit_code == 2 and 'differs in prompt: pictures and words' in ' '.join(done.output.split())


def test_a_report_from_before_there_were_prompts_is_one_in_words_with_the_same_hash(played, tmp_path):
    folder, _, spoken, _ = played
    older = json.loads((folder / 'words.json').read_text())
    for row in older['conditions']['tasks']:
        assert row.pop('prompt') == WORDS
    canonical = json.dumps(older['conditions'], sort_keys=True, separators=(',', ':'))
    assert older['decides'] == sha256(canonical.encode()).hexdigest(), 'as it was computed then'
    (tmp_path / 'older.json').write_text(json.dumps(older))
    found = EvaluationReport.load(tmp_path / 'older.json')
    assert found == spoken and found.decides == spoken.decides
    assert compared(found, spoken)


def test_a_report_whose_prompt_was_altered_is_refused(played, tmp_path):
    text = (played[0] / 'pictures.json').read_text()
    for other in (WORDS, FIRST_FRAME):
        (tmp_path / 'report.json').write_text(text.replace('"prompt": "pictures"', f'"prompt": "{other}"'))
        with pytest.raises(ConfigError, match='was altered'):
            EvaluationReport.load(tmp_path / 'report.json')


def test_a_plan_has_the_prompt_in_its_trials_and_in_the_token_of_its_bags(monkeypatch, played):
    monkeypatch.chdir(played[0])
    plans = {prompt: planned(asked(prompt)) for prompt in ('', WORDS, PICTURES, FIRST_FRAME)}
    for prompt, plan in plans.items():
        assert {trial.prompt for trial in plan.trials} == {prompt or WORDS}
        assert all(trial.build().prompt == trial.prompt for trial in plan.trials)
    tokens = {prompt: [job.token for job in plan.jobs(plan.trials, Path())] for prompt, plan in plans.items()}
    assert tokens[''] == tokens[WORDS]
    assert len({tuple(tokens[prompt]) for prompt in (WORDS, PICTURES, FIRST_FRAME)}) == 3


def test_pictures_are_part_of_the_code_that_is_named_only_where_they_are_shown(monkeypatch, played):
    monkeypatch.chdir(played[0])
    words, pictures, seeing = (planned(asked(**more)).bench for more in ({}, {'prompt': PICTURES}, {'cameras': 'vlmbench:front'}))
    assert words != pictures == seeing


def test_an_unknown_prompt_is_refused_before_anything_is_played(monkeypatch, played):
    monkeypatch.chdir(played[0])
    with pytest.raises(PromptError, match=r"no prompt called 'picture'. Did you mean pictures"):
        planned(asked('picture'))


# Policy servers


@pytest.fixture(scope='module')
def seen():
    """A bench, and what it shows at a start."""
    bench, episode = Bench('xarm6', 'vlmbench:front,wrist', width=32, height=24), catalogue.build(PLACE, '', 3)
    now = bench.world.load(episode.scene)
    bench.renderer.load(episode.scene)
    yield bench, Observation(0.0, now.joints, now.tool, now.opening, pictures=bench.pictures(now), camera_poses=bench.camera_poses(now))
    bench.close()


@pytest.mark.parametrize('form', FORMS)
def test_a_server_is_sent_the_pictures_and_their_roles(seen, form):
    bench, observation = seen
    told = ServerObservations(form, bench.cameras, lambda: 0.0)
    images = tuple(PromptImage(role, color, png(color)) for role, color in (
        (OBJECT, np.full((8, 8, 3), (250, 10, 20), np.uint8)), (SCENE, np.full((4, 6, 3), (1, 2, 3), np.uint8)),
    ))  # fmt: skip
    cameras = {camera.name: camera.calibration for camera in bench.cameras}
    context = EpisodeContext('Lift <image 1>. The table: <image 2>.', bench.profile, cameras=cameras)
    words, pictures = (told.seen(observation, one).keyed for one in (context, EpisodeContext(**(vars(context) | {'pictures': images}))))
    assert set(pictures) - set(words) == {'prompt/image_1', 'prompt/image_2', ROLES} and set(words) < set(pictures)
    assert not any(key.startswith('prompt/') for key in words)
    assert pictures[{'openpi': PROMPT, 'export': TASK}[form]] == context.instruction
    assert pictures[ROLES] == [OBJECT, SCENE]
    sent = wire.unpack(wire.pack(pictures))
    for number, image in enumerate(images, start=1):
        found = sent[f'prompt/image_{number}']
        assert found.dtype == np.uint8 and np.array_equal(found, image.color), 'red, green, blue'


# The page


class Pictures(HTMLParser):
    """The pictures on a page, by their descriptions."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == 'img':
            self.found.append((dict(attrs)['alt'], dict(attrs)['src']))


def test_the_page_shows_the_pictures_of_a_failed_episode(played):
    folder, shown, spoken, _ = played
    text = page(shown, strips(shown, folder / 'bags', most=12))
    found = [(alt, src) for alt, src in Pictures(text).found if 'of the instruction' in alt]
    assert [alt for alt, _ in found] == ['image 1 of the instruction: object', 'image 2 of the instruction: object'] * len(SEEDS)
    files = [image.png for bag in shown.circumstances.bags for image in recorded_prompt(open_bag(folder / 'bags' / bag))]
    assert [b64decode(src.removeprefix('data:image/png;base64,')) for _, src in found] == files
    assert '&lt;image 1&gt;' in text and '<image 1>' not in text
    assert 'of the instruction' not in page(spoken) and '<td>pictures</td>' in text and '<td>words</td>' in page(spoken)
