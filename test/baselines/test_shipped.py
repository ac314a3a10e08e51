"""The weights that are shipped: what their cards say, what the page says about them, and that they do what they are for."""

import re
from hashlib import sha256
from pathlib import Path

import pytest

pytest.importorskip('moderngl')

from vlm_bench_baselines.checkpoint import load
from vlm_bench_baselines.key_frame.card import KeyFrameCard
from vlm_bench_baselines.key_frame.policy import KeyFramePolicy
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.policy import Played
from vlm_bench_tasks.run import Bench

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / 'vlm_bench_baselines' / 'weights').glob('*.safetensors'))
FIRST_TEST_SEED = 80_000
"""From here on seeds are for validation and testing."""


def scored(path, card):
    """Return the task for which weights are shipped: of those that they have learned, the one that their file is named after."""
    return next((task for task in card.tasks if path.stem in task.split('/')), card.tasks[0])


@pytest.mark.parametrize('path', SHIPPED, ids=lambda path: path.stem)
def test_a_card_says_what_was_learned_and_the_page_names_the_file_by_its_bytes(path):
    _, card = load(path, KeyFrameCard)
    assert path.stem in scored(path, card)
    assert card.seeds[1] < FIRST_TEST_SEED and card.step and card.score['both'] > 0.5 and card.licence == 'Apache-2.0'
    page = (ROOT / 'docs' / 'baselines.md').read_text()
    row = next(line for line in page.splitlines() if f'`{path.name}`' in line and '|' in line)
    assert f'`{sha256(path.read_bytes()).hexdigest()[:16]}`' in row
    told = re.findall(r'\d+(?:\.\d+)?', row.split('|')[3].replace(' ', ''))
    assert [str(card.carries[0]), str(card.step)] == told[:2]


HELD_OUT = {
    'lohoravens': ('train', '', (800, 801)),
    'pick_place': ('seen', '', (80_000, 80_001)),
    'stack': ('seen', 'size', (80_000, 80_001)),
}
"""Split, axis and validation seeds to play by each file; the numbers on test seeds stand in docs/results/baselines.md."""


@pytest.mark.parametrize('path', SHIPPED, ids=lambda path: path.stem)
def test_they_find_what_a_sentence_names(path):
    (split, axis, seeds), (_, card) = HELD_OUT[path.stem], load(path, KeyFrameCard)
    task = scored(path, card)
    bench = Bench(catalogue.task(task).robot, card.cameras, width=card.width, height=card.height)
    try:
        policy = KeyFramePolicy(str(path))
        found = [bench.run(catalogue.build(task, split, seed, axis), Played(policy)).report for seed in seeds]
    finally:
        bench.close()
    assert [report.verdict for report in found] == [Verdict.SUCCESS] * 2, [report.causes for report in found]
