"""Film strips of recorded episodes, from bags of the expert."""

import cv2
import pytest
from typer import Typer
from typer.testing import CliRunner

pytest.importorskip('moderngl')

from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.pages.strip_sheet import PICTURES, main, sheet
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench


@pytest.fixture(scope='module')
def bag(tmp_path_factory):
    bench = Bench()
    recorder = Recorder(bench, catalogue.build('vlmbench/pick_place', 'seen', 3), folder=tmp_path_factory.mktemp('bags'))
    run = bench.run(catalogue.build('vlmbench/pick_place', 'seen', 3), policy('oracle'), recorder)
    bench.close()
    return recorder.close(run.report)


def test_each_bag_has_a_row_that_shows_its_way_from_the_start_to_the_end(bag):
    found = sheet([bag, bag])
    assert found.shape == (2 * 206, PICTURES * 244, 3)
    strip = found[26:206].astype(int)
    first, middle, last = (strip[:, 244 * i : 244 * i + 240] for i in (0, 3, PICTURES - 1))
    assert abs(first - middle).mean() > 1.0 and abs(first - last).mean() > 0.2  # the arm, and the thing
    assert (found[:26].astype(int).sum(axis=2) < 400).any()  # words


def test_the_command_draws_it_and_says_what_it_cannot(bag, tmp_path):
    app = Typer()
    app.command()(main)
    done = CliRunner().invoke(app, [str(bag), '--out', str(tmp_path / 'strip.png')])
    assert done.exit_code == 0 and cv2.imread(str(tmp_path / 'strip.png')).shape == (206, PICTURES * 244, 3)
    for words in ([str(bag), '--out', str(tmp_path / 'nowhere' / 'strip.png')], [str(tmp_path), '--out', str(tmp_path / 'b.png')]):
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 2 and 'error: ' in done.stderr
