"""The moving picture of the README: a whole episode, from two cameras, small and endless."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from vlm_bench_tasks.pages import film_sheet

SHIPPED = Path(__file__).parents[2] / 'docs' / 'gallery' / 'episode.webp'


def decoded(data):
    done, film = cv2.imdecodeanimation(np.frombuffer(data, np.uint8))
    assert done
    return film


def test_what_is_shipped_moves_and_is_small():
    film = decoded(SHIPPED.read_bytes())
    frames = [frame[..., :3].astype(int) for frame in film.frames]
    assert film.loop_count == 0 and len(frames) > 30
    assert {frame.shape for frame in frames} == {(film_sheet.SIZE * 11 // 10, 2 * film_sheet.SIZE, 3)}
    assert np.abs(frames[0] - frames[-1]).mean() > 3
    assert SHIPPED.stat().st_size < 400_000


def test_a_film_holds_its_frames_and_rests_on_the_last():
    pictures = [np.full((20, 40, 3), (level, 0, 0), dtype=np.uint8) for level in (0, 120, 240)]
    film = decoded(film_sheet.encoded(pictures))
    assert [frame[10, 20, 2] for frame in film.frames] == pytest.approx([0, 120, 240], abs=12)
    assert film.durations[0] == film.durations[1] < film.durations[2]


def test_frames_show_the_episode_from_its_start_to_its_end():
    frames = film_sheet.frames(size=40)
    assert len(frames) > 30 and frames[0].shape == (44, 80, 3)
    assert np.abs(frames[0].astype(int) - frames[-1]).mean() > 3
    assert all((frame[40:] == frames[0][40:]).all() for frame in frames), 'the instruction stays'
