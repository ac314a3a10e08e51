"""What a page is answered about recorded episodes."""

import asyncio
import json

import numpy as np
import pytest

pytest.importorskip('moderngl')

from vlm_bench_sim.core.errors import BagError, VlmBenchError
from vlm_bench_sim.render.jpeg import jpeg, pixels
from vlm_bench_tasks.dashboard import looking as looks
from vlm_bench_tasks.dashboard import studio as studios
from vlm_bench_tasks.dashboard import wire
from vlm_bench_tasks.dashboard.looking import Looking
from vlm_bench_tasks.dashboard.page import Page
from vlm_bench_tasks.dashboard.shelf import of_folder
from vlm_bench_tasks.dashboard.studio import Studio
from vlm_bench_tasks.dataset.rendering import Angle, frames

ASKED, SOLVED, STILL = range(3)
SIZE = {'width': 64, 'height': 48}


@pytest.fixture(scope='module')
def looking(bags):
    shelf = of_folder(bags)
    assert shelf.whole.wait(20)
    studio = Studio()
    yield Looking(shelf, {'source': 'here'}, studio=studio)
    studio.close()


def ask(looking, do, **fields):
    return asyncio.run(looking.answer(wire.read(json.dumps({'id': 1, 'do': do, **fields})), Page()))


def test_it_says_where_episodes_come_from_and_which_cameras_there_are(looking):
    told = ask(looking, 'hello')
    assert told['source'] == 'here' and {'vlmbench:front', 'clevrskills:base'} < set(told['cameras'])
    assert [row['name'] for row in ask(looking, 'list')['rows']] == ['asked', 'solved', 'still']


def test_a_jump_shows_the_pixels_of_a_render(looking, bags):
    drawn = {frame.seq: jpeg(frame.pictures['front']) for frame in frames(bags / 'solved', Angle('vlmbench:front', rate=20.0, **SIZE))}
    for seq in (len(drawn) - 1, 0, 40):
        assert ask(looking, 'draw', episode=SOLVED, seq=seq, camera='vlmbench:front', **SIZE) == drawn[seq]
    assert ask(looking, 'draw', episode=SOLVED, seq=10**6, camera='vlmbench:front', **SIZE) == drawn[len(drawn) - 1]


def test_the_free_view_turns(looking):
    seen = [pixels(ask(looking, 'draw', episode=SOLVED, seq=0, orbit={'azimuth': turn}, **SIZE)).astype(float) for turn in (0.5, 0.5, 2.5)]
    assert np.array_equal(seen[0], seen[1]) and np.abs(seen[0] - seen[2]).mean() > 5


def test_two_panels_and_robots_in_turn_disturb_nobody(looking, monkeypatch):
    """The first episode is of another robot."""
    monkeypatch.setattr(studios, 'MOST_PROJECTORS', 2)
    want = [ask(looking, 'draw', episode=episode, seq=3, camera='vlmbench:front', **SIZE) for episode in (SOLVED, ASKED)]
    for panel in (0, 1, 0, 1):
        assert [ask(looking, 'draw', episode=one, seq=3, panel=panel, camera='vlmbench:front', **SIZE) for one in (SOLVED, ASKED)] == want
    assert len(looking._studio._projectors) == 2


def test_few_episodes_are_kept_in_memory(looking, monkeypatch):
    monkeypatch.setattr(looks, 'KEPT', 1)
    for episode in (SOLVED, STILL, ASKED):
        ask(looking, 'draw', episode=episode, seq=0, **SIZE)
    assert len(looking._reels) == 1


def test_the_pictures_of_an_instruction_are_given(looking):
    assert ask(looking, 'prompt', episode=ASKED, number=1).startswith(b'\x89PNG')
    for episode, number in ((ASKED, 2), (SOLVED, 1)):
        with pytest.raises(BagError, match='pictures; number'):
            ask(looking, 'prompt', episode=episode, number=number)


@pytest.mark.parametrize(
    ('fields', 'says'),
    [
        ({'episode': 9}, 'has no bag'),
        ({'camera': 'nowhere:front'}, 'no camera set'),
        ({'camera': 'vlmbench'}, 'one camera'),
        ({'camera': 'none'}, 'one camera'),
        ({'camera': 'vlmbench:front,wrist'}, 'one camera'),
    ],
)
def test_what_is_not_there_is_named(looking, fields, says):
    with pytest.raises(VlmBenchError, match=says):
        ask(looking, 'draw', **{'episode': SOLVED, 'seq': 0, **SIZE, **fields})


def test_a_timeline_is_told(looking):
    assert ask(looking, 'open', episode=SOLVED)['judged']['verdict'] == 'success'
