"""A task in a window: what gymnasium makes of `render_mode='human'`, and what it says if there can be none."""

import sys

import gymnasium
import pygame
import pytest

import vlm_bench_tasks.environment  # noqa: F401  (registers the tasks)
from vlm_bench_sim.core.errors import ConfigError

TASK = 'vlm_bench/vlmbench-pick_place-v0'


def made(**more):
    return gymnasium.make(TASK, **({'cameras': 'vlmbench:front', 'size': (64, 48), 'render_mode': 'human'} | more))


@pytest.fixture(autouse=True)
def display(monkeypatch):
    monkeypatch.setenv('SDL_VIDEODRIVER', 'dummy')
    pygame.display.quit()


def test_a_window_shows_the_first_camera():
    env = made()
    try:
        env.reset(seed=3)
        env.step(env.action_space.sample())
        shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
        assert (shown == env.unwrapped.picture()).all() and shown.std() > 10
    finally:
        env.close()


def test_what_is_missing_for_a_window_is_said_when_it_is_asked_for(monkeypatch):
    with pytest.raises(ConfigError, match='shows the first camera, and there is none'):
        made(cameras='none')
    pygame.display.quit()
    monkeypatch.setenv('SDL_VIDEODRIVER', 'x11')
    monkeypatch.delenv('DISPLAY', raising=False)
    with pytest.raises(ConfigError, match='there is no display'):
        made()
    monkeypatch.setitem(sys.modules, 'pygame', None)  # as if it were not installed
    with pytest.raises(ConfigError, match='pip install pygame'):
        made()


def test_a_printed_space_can_be_read():
    env = gymnasium.make(TASK, cameras='none')
    assert 'Words(at most 1000 characters)' in str(env.observation_space) and len(str(env.observation_space)) < 600
