"""A bag drawn again shows what was recorded, to the last bit at its own size, and the same from elsewhere and larger."""

import signal
import subprocess
import sys
from dataclasses import replace

import av
import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from test.plays import Scripted, episode

pytest.importorskip('moderngl')

from vlm_bench_sim import profiles
from vlm_bench_sim.bags.choice import Choice
from vlm_bench_sim.bags.definitions import deserialise
from vlm_bench_sim.bags.reader import episode_truth, open_bag
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.command import Joints, Wait
from vlm_bench_sim.core.errors import BagError, ConfigError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color, Look
from vlm_bench_sim.core.objects.stock import COLORS, block, floating_marker
from vlm_bench_sim.core.snapshot import Body
from vlm_bench_sim.render.jpeg import jpeg
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.dataset import filming
from vlm_bench_tasks.dataset import reel as reels
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.dataset.reel import Projector, Reel
from vlm_bench_tasks.dataset.rendering import Angle, frames
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.goals.cues import Cue
from vlm_bench_tasks.goals.logic import Not
from vlm_bench_tasks.run import Bench

SIZE = {'width': 64, 'height': 48}
RED, GREEN, YELLOW = (Look(Color(name, rgb)) for name, rgb in (('red', (1, 0, 0)), ('green', (0, 1, 0)), ('yellow', (1, 1, 0))))
ALL = ('pixel_noise=3', 'depth_noise=0.002', 'camera_position=0.02', 'camera_angle=0.02', 'light=0.4', 'texture=1', 'distractors=2')


def with_markers(of):
    """The first marker's goal holds at once, the second's never."""
    first, second = (floating_marker(name, RED.color, (0.5, y, 0.3), radius=0.06) for name, y in (('first', 0.15), ('second', -0.15)))
    cues = tuple(Cue(marker, goal, waiting=RED, next=GREEN, done=YELLOW) for marker, goal in (('first', Not(of.goal)), ('second', of.goal)))
    return replace(of, scene=of.scene.with_props((*of.scene.props, first, second)), cues=cues)


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    """A perturbed episode with cues, in which the arm moves a little, before two small cameras."""
    bench = Bench(cameras='vlmbench:front,wrist', **SIZE)
    of = with_markers(catalogue.perturbed(episode(), catalogue.perturbation(ALL)))
    recorder = Recorder(bench, of, folder=tmp_path_factory.mktemp('bags'), choice=Choice(rate=20.0))
    run = bench.run(of, Scripted(Joints((0.1, -0.7, 0.1, -2.3, 0.0, 1.6, 0.8)), Wait(0.2)), recorder)
    bench.close()
    return recorder.close(run.report)


def colors(bag, camera):
    return [bytes(message.data) for _, _, message in open_bag(bag).messages(f'/cameras/{camera}/color/image_raw/compressed')]


def test_at_its_own_size_every_picture_is_the_recorded_one(recorded):
    drawn = list(frames(recorded, Angle('vlmbench:front,wrist', rate=20.0, **SIZE)))
    depths = [m for _, _, m in open_bag(recorded).messages('/cameras/wrist/aligned_depth_to_color/image_raw')]
    assert [frame.seq for frame in drawn] == list(range(len(depths))) and len(drawn) > 10
    for camera in ('front', 'wrist'):
        assert [jpeg(frame.pictures[camera]) for frame in drawn] == colors(recorded, camera)
    for frame, message in zip(drawn, depths, strict=True):
        again = np.rint(frame.pictures['wrist'].depth.astype(float) * fields.MM)
        assert np.array_equal(fields.read_image(message), again)


def test_a_reel_shows_any_moment_as_a_render_does_whichever_came_before(recorded):
    drawn = {frame.seq: frame.pictures for frame in frames(recorded, Angle('vlmbench:front,wrist', rate=20.0, **SIZE))}
    reel = Reel.of(open_bag(recorded))
    projector = Projector(reel.robot)
    cameras = profiles.cameras('vlmbench:front,wrist', **SIZE)
    assert len(reel.moments) == len(drawn)
    for seq in (len(drawn) - 1, 0, 5, 4, 3, 2, 1, len(drawn) - 2):  # the cues change the looks of markers on the way
        for camera in cameras:
            picture = projector.as_seen(reel, seq, camera)
            assert np.array_equal(picture.color, drawn[seq][camera.name].color), (seq, camera.name)
            assert np.array_equal(picture.depth, drawn[seq][camera.name].depth)
    projector.close()


def test_a_bag_that_is_too_long_for_memory_is_refused(recorded, monkeypatch):
    monkeypatch.setattr(reels, 'MOST_MOMENTS', 3)
    with pytest.raises(BagError, match='more than 3 states'):
        Reel.of(open_bag(recorded))


def test_markers_look_as_they_did_when_their_turn_came(recorded):
    """What was recorded is what is compared with above; this says that cues were in it."""
    ids = Episode.from_json(episode_truth(open_bag(recorded)).episode).scene.ids
    drawn = [frame.pictures['front'] for frame in frames(recorded, Angle('vlmbench:front', width=160, height=120))]
    strengths = [[hue(picture, ids[name]) for name in ('first', 'second')] for picture in (drawn[0], drawn[-1])]
    assert strengths == [['r', 'r'], ['rg', 'g']]


def hue(picture, instance):
    """Return which of red, green and blue a thing shines in."""
    mean = picture.color[picture.ids == instance].mean(axis=0)
    return ''.join(letter for letter, value in zip('rgb', mean, strict=True) if value > 0.6 * mean.max())


def test_another_rate_takes_each_second_picture_and_another_size_shows_the_same(recorded):
    drawn = list(frames(recorded, Angle('vlmbench:front', width=128, height=96, samples=3)))
    full = list(frames(recorded, Angle('vlmbench:front', rate=20.0, **SIZE)))
    assert [frame.seq for frame in drawn] == [frame.seq for frame in full][::2]
    small = cv2.resize(drawn[0].pictures['front'].color, (64, 48), interpolation=cv2.INTER_AREA).astype(float)
    same, mirrored = (np.abs(picture - full[0].pictures['front'].color).mean() for picture in (small, small[:, ::-1]))
    assert 2.0 * same < mirrored


def test_a_camera_that_was_not_there_sees_the_episode(recorded):
    found = next(frames(recorded, Angle('vlmbench:overhead', width=32, height=24))).pictures
    assert list(found) == ['overhead'] and len(np.unique(found['overhead'].ids)) > 2


def test_what_was_spawned_on_the_way_is_seen_from_then_on(recorded, tmp_path):
    """As a bag over ROS tells it: another scene, and from then on states that hold one more prop."""
    bag = open_bag(recorded)
    scene = Episode.from_json(episode_truth(bag).episode).scene
    guest = block('guest', COLORS['red'], side=0.1).at(Pose((0.45, 0.0, 0.05)))
    writer = BagWriter(tmp_path, 'again', custom=dict(bag.custom))
    rows = {row.name: row for row in (*names.FIXED, *names.camera_names(('front', 'wrist')))}
    for raw in bag.raw():
        message = deserialise(raw.type, raw.data)
        if raw.topic != names.WORLD_STATE.name or message.seq < 4:
            writer.write(rows[raw.topic], raw.data)
            continue
        if message.seq == 4:
            more = codec.dumps(scene.with_props((*scene.props, guest)))
            writer.write_value(names.SCENE, {'token': message.token, 'scene': more, 'robot': 'panda'})
        now = fields.read_snapshot(message)
        there = replace(now, bodies=now.bodies | {'guest': Body(guest.pose)})
        writer.write_value(names.WORLD_STATE, fields.world_state(there, ns=raw.stamp_ns, token=message.token, state_hash=''))
    ids = scene.with_props((*scene.props, guest)).ids
    drawn = list(frames(writer.close(), Angle('vlmbench:front', rate=20.0, **SIZE)))
    assert [ids['guest'] in frame.pictures['front'].ids for frame in drawn[:8]] == [False] * 4 + [True] * 4


@pytest.mark.parametrize(
    ('wrong', 'words'),
    [
        ({'rate': 7.0}, 'Choose one of 1, 2, 4, 5, 10, 20'), ({'rate': 0.0}, 'Choose one of'),
        ({'rate': 0.5}, 'Choose one of'), ({'rate': 40.0}, 'Choose one of'),
        ({'samples': 2}, 'odd'),
        ({'cameras': 'none'}, 'Name a camera set'),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused_with_what_can(wrong, words):
    with pytest.raises(ConfigError, match=words):
        Angle(**wrong)


def test_a_folder_without_a_bag_is_refused(tmp_path):
    with pytest.raises(BagError, match='Name the folder of a bag'):
        next(frames(tmp_path, Angle()))


def command(*words):
    return CliRunner().invoke(app, ['render', *map(str, words)])


def test_the_command_writes_a_folder_for_each_camera_and_leaves_what_is_there_alone(recorded, tmp_path):
    out = tmp_path / 'pictures'
    asked = (recorded, '--cameras', 'vlmbench:front,wrist', '--size', '64x48', '--rate', '2', '--out', out)
    done = command(*asked)
    assert done.exit_code == 0, done.output
    found = sorted(str(path.relative_to(out)) for path in out.rglob('*.png'))
    assert found[:2] == ['front/000000.png', 'front/000010.png'] and f'{len(found)} pictures of 64x48' in done.output
    first = next(frames(recorded, Angle('vlmbench:front', **SIZE))).pictures['front'].color
    assert np.array_equal(cv2.cvtColor(cv2.imread(str(out / found[0])), cv2.COLOR_BGR2RGB), first)
    again = command(*asked)
    assert again.exit_code == 2 and 'exists already' in again.output


@pytest.mark.parametrize('name', [pytest.param('pictures', marks=pytest.mark.long), 'film.mp4'])
def test_a_render_that_is_killed_leaves_nothing_under_its_name_and_can_be_repeated(recorded, tmp_path, name):
    """At the last moment: all of it is written."""
    killed = (
        'import os, signal; from pathlib import Path; Path.rename = lambda *_: os.kill(os.getpid(), signal.SIGKILL); '
        'from vlm_bench_tasks.cli.main import app; app()'
    )
    words = ['render', recorded, '--out', tmp_path / name, '--cameras', 'vlmbench:front', '--size', '64x48']
    done = subprocess.run([sys.executable, '-c', killed, *map(str, words)], check=False)
    assert done.returncode == -signal.SIGKILL
    (part,) = tmp_path.iterdir()
    assert part.is_dir() == (name == 'pictures') and part.name.startswith(f'.{name}.')
    assert not (tmp_path / name).exists()
    again = command(recorded, '--cameras', 'vlmbench:front', '--size', '64x48', '--out', tmp_path / name)
    assert again.exit_code == 0, again.output
    assert (tmp_path / name).exists()


@pytest.mark.parametrize('name', ['pictures', 'film.mp4'])
def test_a_render_that_fails_leaves_nothing(recorded, tmp_path, name, monkeypatch):
    def fails(*_):
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr(filming, '_write' if name == 'pictures' else 'tiled', fails)
    failed = command(recorded, '--cameras', 'vlmbench:front', '--size', '64x48', '--out', tmp_path / name)
    assert failed.exit_code == 2 and 'No space left' in failed.output
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_a_film_with_the_cameras_beside_one_another(recorded, tmp_path):
    done = command(recorded, '--cameras', 'vlmbench:front,wrist', '--size', '64x48', '--out', tmp_path / 'a' / 'film.mp4')
    assert done.exit_code == 0, done.output
    with av.open(str(tmp_path / 'a' / 'film.mp4')) as film:
        pictures = [frame.to_ndarray(format='rgb24') for frame in film.decode(video=0)]
        assert film.streams.video[0].average_rate == 10
    drawn = list(frames(recorded, Angle('vlmbench:front,wrist', **SIZE)))
    assert len(pictures) == len(drawn) and pictures[0].shape == (48, 128, 3)
    beside = np.hstack([drawn[-1].pictures[name].color for name in ('front', 'wrist')]).astype(float)
    assert np.abs(pictures[-1] - beside).mean() < 8.0
