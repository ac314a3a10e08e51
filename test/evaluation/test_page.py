"""The page of a report says what the report says, needs nothing but itself, and shows what went wrong."""

import re
from base64 import b64decode
from html.parser import HTMLParser

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from test.plays import Scripted, bench, episode

pytest.importorskip('moderngl')

from vlm_bench_sim.core.command import Wait
from vlm_bench_sim.core.errors import BagError
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.evaluation.declaration import Declaration
from vlm_bench_tasks.evaluation.page import MOST_ROWS, page
from vlm_bench_tasks.evaluation.page_bars import bars, causes
from vlm_bench_tasks.evaluation.page_strips import PICTURES, spread, strip, strips
from vlm_bench_tasks.evaluation.report import Circumstances, Conditions, EvaluationReport, TaskConditions
from vlm_bench_tasks.evaluation.summary import groups, summed
from vlm_bench_tasks.result import Result
from vlm_bench_tasks.run import Bench

TASK = 'vlmbench/pick_place'
CONDITIONS = Conditions(
    tasks=(TaskConditions(task=TASK, revision=3, robot='panda', axes=('color',), splits=('seen',), horizon=60.0, step_limit=0),),
    seeds=(100000, 100010), purpose='test', cameras='vlmbench', size='256x256', perturbations=('drop_rate=0.3 1/s',),
    assistance=('oracle_stop',), answer_seconds=30.0, versions=('vlm_bench=0.1.0', 'renderer=llvmpipe'),
)  # fmt: skip


def score(seed, verdict='success', *, split='seen', axis='color', causes=(), **more):
    told = more.pop('instruction', 'Put it there.')
    solved = verdict == 'success'
    return Result(
        task=TASK, axis=axis, split=split, seed=seed, verdict=verdict, causes=causes, instruction=told, score=100.0 * solved,
        progress=float(solved), reward=0.5, sim_seconds=12.5, **more,
    )  # fmt: skip


def report(*scores, **more):
    seeds = [one.seed for one in scores]
    conditions = CONDITIONS.model_copy(update={'seeds': (min(seeds), max(seeds) + 1)})
    return EvaluationReport(
        policy=more.pop('policy', 'mine'), conditions=conditions, decides=conditions.decides, groups=groups(scores),
        overall=summed(scores), episodes=tuple(scores), **more,
    )  # fmt: skip


MIXED = report(
    score(100000), score(100001), score(100002), score(100003, 'failure', causes=('time_limit',), missed=('the cube is in the tray',)),
    score(100000, split='unseen'), score(100001, 'failure', split='unseen', causes=('stopped: it said so',), failures=('no plan',)),
    score(100002, 'unobservable', split='unseen', causes=('fault: the disk is full',)),
)  # fmt: skip


class Reading(HTMLParser):
    """What stands on a page, and whether each tag that opens is closed in its turn."""

    EMPTY = ('meta', 'br', 'img', 'link', 'rect', 'line', 'path')

    def __init__(self, text) -> None:
        super().__init__()
        self.open, self.tags, self.words = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    def all(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]

    @property
    def text(self):
        return ' '.join(' '.join(self.words).split())


def test_the_page_is_whole_and_says_what_the_report_says():
    found = Reading(page(MIXED))
    assert found.open == []
    for said in (
        'mine', '66.7 %', '4 of 6', '3 / 4', '75.0 %', 'time_limit', 'not true at the end: the cube is in the tray', 'stopped: it said so',
        'the policy says: no plan', 'fault: the disk is full', '100000 to 100003 (test)', 'drop_rate=0.3 1/s', 'oracle_stop',
        'vlm_bench=0.1.0', 'renderer=llvmpipe', MIXED.decides, '30.0 s of wall clock',
    ):  # fmt: skip
        assert said in found.text, said


def test_what_was_not_observed_and_played_again_is_told_beside_the_rate():
    again = Circumstances(earlier=((), ('bench: lost',), ('bench: lost', 'bench: gone'), (), (), (), ('fault: the disk is full',)))
    text = ' '.join(' '.join(Reading(page(MIXED.model_copy(update={'circumstances': again}))).words).split())
    assert 'the bench was at fault; not in the rate; with them as failures 57.1 % solved' in text
    assert 'played again 3 not observed before; 2 of 7 solved at the first try' in text
    assert '100002 success bench: lost; then bench: gone' in text
    assert 'played again' not in page(MIXED)


def test_results_under_a_protocol_are_shown_by_its_cells_with_what_is_declared():
    declared = Declaration(protocol='clevrskills', variant='pictures', trained_on=('L0',))
    episodes = [one.model_copy(update={'task': 'clevrskills/pick'}) for one in MIXED.episodes]
    text = page(report(*episodes, declared=declared))
    assert 'By the clevrskills protocol' in text and 'a part of the protocol: 1 of 33 tasks, seeds 100000 to 100003 instead of' in text
    assert 'declared as trained on L0, which the bench cannot check' in text
    assert re.search(
        r'<th scope="row">L0</th><td>seen</td><td>trained</td><td class="n">1</td>\s*<td class="n">4</td><td class="n">75.0 %</td>', text
    )
    assert 'protocol' not in page(MIXED) and '<dt>declared</dt><dd>nothing</dd>' in page(MIXED)
    Reading(text)


def test_it_needs_nothing_from_elsewhere_and_runs_nothing():
    text = page(MIXED)
    found = Reading(text)
    assert not found.all('script') and not found.all('link') and not found.all('iframe')
    assert not re.search(r'(?:href|src)\s*=\s*"(?!data:image/jpeg)', text) and 'url(' not in text and '@import' not in text
    assert "default-src 'none'" in next(attrs['content'] for attrs in found.all('meta') if 'http-equiv' in attrs)


def test_what_a_policy_says_is_shown_and_never_obeyed():
    evil = '<script>alert(1)</script>"onload="x'
    text = page(report(score(100000, 'failure', causes=(evil,), instruction=evil, missed=(evil,), failures=(evil,)), policy=evil))
    found = Reading(text)
    assert not found.all('script') and all('onload' not in attrs for _, attrs in found.tags)
    assert found.text.count('alert(1)') >= 4


def test_those_who_hear_the_page_are_told_what_those_who_see_it_see():
    found = Reading(page(MIXED))
    assert found.all('html')[0]['lang'] == 'en'
    charts = [attrs for attrs in found.all('svg') if 'aria-hidden' not in attrs]
    assert charts and all(attrs['role'] == 'img' and attrs['aria-labelledby'] for attrs in charts)
    assert len(found.all('table')) == len(found.all('caption')) == 4
    assert all(attrs.get('scope') for attrs in found.all('th'))


def test_each_bar_is_as_long_as_its_share_and_each_whisker_as_its_interval():
    seen, unseen = bars(MIXED.groups)
    assert (seen.split, seen.first, seen.share, seen.successes, seen.episodes) == ('seen', True, 0.75, 3, 4)
    assert (unseen.first, unseen.share, unseen.episodes) == (False, 0.5, 2)
    assert seen.color != unseen.color
    text = page(MIXED)
    widths = [float(width) for width in re.findall(r'<rect class="f[0-3]" x="330" y="[\d.]+" width="([\d.]+)"', text)]
    assert widths == [375.0, 250.0]
    ends = re.findall(r'class="whisker" d="M([\d.]+) \d+v10m0 -5H([\d.]+)m0', text)
    assert [(float(a), float(b)) for a, b in ends] == [
        (round(330 + 500 * bar.low, 1), round(330 + 500 * bar.high, 1)) for bar in (seen, unseen)
    ]
    assert [(cause.word, cause.count, cause.share) for cause in causes(MIXED.overall)] == [('stopped', 1, 0.5), ('time_limit', 1, 0.5)]


def test_the_same_report_gives_the_same_page():
    assert page(MIXED) == page(MIXED)


def test_a_policy_that_says_much_is_cut_short():
    text = Reading(page(report(score(100000, 'failure', causes=('stopped',), failures=('no path. ' * 200,))))).text
    assert 10 < text.count('no path.') < 30


def test_a_report_in_which_all_went_well_says_so():
    assert 'No episode failed.' in page(report(score(100000)))


def test_more_failures_than_a_page_holds_are_counted():
    many = report(*[score(100000 + i, 'failure', causes=('time_limit',)) for i in range(MOST_ROWS + 7)])
    found = Reading(page(many))
    assert '7 more are in the report' in found.text
    assert found.text.count('Put it there.') == MOST_ROWS


@pytest.mark.parametrize(('count', 'kept'), [(0, []), (3, [0, 1, 2]), (6, [0, 1, 2, 3, 4, 5]), (11, [0, 2, 4, 6, 8, 10])])
def test_pictures_are_spread_from_first_to_last(count, kept):
    assert spread(range(count)) == kept


@pytest.fixture(scope='module')
def bags(tmp_path_factory):
    """Two episodes that came to nothing: one with pictures, one without."""
    folder = tmp_path_factory.mktemp('bags')
    seeing = Bench(cameras='vlmbench:front', width=64, height=48)
    for ours, seed in ((seeing, 0), (bench(), 1)):
        recorder = Recorder(ours, episode(seed), folder=folder)
        recorder.close(ours.run(episode(seed), Scripted(Wait(1.0)), recorder).report)
    seeing.close()
    return folder


def failed(*seeds, **more):
    return report(*[score(seed, 'failure', causes=('stopped',)) for seed in seeds], **more)


def test_a_strip_is_of_the_recorded_pictures_or_is_drawn_again(bags):
    found = strips(failed(0, 1, 2), bags, most=12)
    assert [(key[3], one.camera, one.drawn) for key, one in found.items()] == [(0, 'front', False), (1, 'front', True)]
    recorded, drawn = found.values()
    assert len(recorded.pictures) == PICTURES and recorded.pictures[0][0] == 0.0
    assert [seconds for seconds, _ in drawn.pictures][:2] == [0.0, 1.0]
    for one, shape in ((recorded, (48, 64, 3)), (drawn, (180, 240, 3))):
        for _, uri in one.pictures:
            picture = cv2.imdecode(np.frombuffer(b64decode(uri.removeprefix('data:image/jpeg;base64,')), np.uint8), cv2.IMREAD_COLOR)
            assert picture.shape == shape and picture.std() > 10
    text = page(failed(0, 1, 2), found)
    assert len(Reading(text).all('img')) == len(recorded.pictures) + len(drawn.pictures)
    assert 'drawn again from the truth' in text and 'as recorded' in text


def test_only_so_many_strips_are_made(bags):
    assert len(strips(failed(0, 1), bags, most=1)) == 1


def test_bags_are_found_by_the_names_in_the_report_too(bags):
    named = sorted(path.name for path in bags.iterdir())
    circumstances = Circumstances(bags=(named[1], '', named[0]))
    assert list(strips(failed(7, 8, 9, circumstances=circumstances), bags, most=12)) == [
        (TASK, 'color', 'seen', 7),
        (TASK, 'color', 'seen', 9),
    ]


@pytest.mark.parametrize('named', ['../{}', '{}/../{}', '..', '/tmp/{}'])
def test_a_report_leads_nowhere_but_into_the_folder(bags, named):
    bag = min(path.name for path in bags.iterdir())
    circumstances = Circumstances(bags=(named.format(bag, bag),))
    with pytest.raises(BagError, match='a name without folders was expected'):
        strips(failed(7, circumstances=circumstances), bags, most=12)


def test_a_folder_without_the_bags_is_refused(tmp_path, bags):
    with pytest.raises(BagError, match='Name the folder that was given to evaluate --record'):
        strips(failed(0), tmp_path, most=12)
    with pytest.raises(BagError, match='Name the folder of a bag'):
        strip(tmp_path / 'none')


def command(*words):
    return CliRunner().invoke(app, ['report', *map(str, words)])


def test_the_command_writes_the_page(bags, tmp_path):
    failed(0, 1).save(tmp_path / 'report.json')
    done = command(tmp_path / 'report.json', '--html', tmp_path / 'new' / 'page.html', '--bags', bags)
    assert done.exit_code == 0, done.output
    assert '2 strips' in done.output
    assert Reading((tmp_path / 'new' / 'page.html').read_text()).open == []


def test_the_command_says_what_is_wrong(tmp_path):
    none = command(tmp_path / 'none.json', '--html', tmp_path / 'page.html')
    assert none.exit_code == 2 and 'evaluation report' in none.output
    failed(0, 1).save(tmp_path / 'report.json')
    (tmp_path / 'folder').mkdir()
    for html in (tmp_path / 'folder', '.', '/dev/null'):
        folder = command(tmp_path / 'report.json', '--html', html)
        assert folder.exit_code == 2 and 'cannot be written' in folder.output


def test_a_page_takes_the_place_of_a_page_and_of_nothing_else(tmp_path):
    failed(0, 1).save(tmp_path / 'report.json')
    failed(0, 1).save(tmp_path / 'other.json')
    before = (tmp_path / 'report.json').read_bytes()
    for name in ('report.json', 'other.json'):
        said = command(tmp_path / 'report.json', '--html', tmp_path / name)
        assert said.exit_code == 2 and 'already exists and is not a page' in ' '.join(said.output.split())
        assert (tmp_path / name).read_bytes() == before
    for _ in range(2):
        assert command(tmp_path / 'report.json', '--html', tmp_path / 'page.html').exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ['other.json', 'page.html', 'report.json']
