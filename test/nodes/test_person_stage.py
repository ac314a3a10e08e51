"""The stage on a real arm: which requests have the table laid."""

from dataclasses import replace
from math import radians
from types import SimpleNamespace

import pytest

from vlm_bench_sim import profiles
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import INCORRECT_STATE
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.nodes.person_stage_node import in_words
from vlm_bench_sim.nodes.simulation.load_scene_server import SCENE_INVALID
from vlm_bench_sim.nodes.simulation.stage_server import PENDING, StageServer

pytestmark = pytest.mark.ros


class Node:
    """Hears nothing; tells what it is asked to."""

    def publisher(self, _row):
        return SimpleNamespace(publish=lambda _: None)

    def service(self, _row, serve):
        self.serve = serve


def stage(lay, monkeypatch, *, lacks=()):
    node = Node()
    server = StageServer(node, robot='panda', lay=lay)
    monkeypatch.setattr(server, '_missing', lambda _: lacks[0] if lacks else '')

    def serve(token, scene=None):
        result = SimpleNamespace(result=0, error_message='')
        request = SimpleNamespace(token=token, participants=['monitor_node'], scene=codec.dumps(scene or Scene(())))
        return node.serve(request, SimpleNamespace(result=result)).result.result

    return server, serve


def test_a_request_that_was_turned_away_lays_nothing_when_it_is_repeated_later(monkeypatch):
    """Calls are repeated until they are answered, so the old request can arrive once more when the node is ready for the new one."""
    asked, lacks = [], ['monitor_node has not subscribed yet.']
    _, serve = stage(lambda _, token: asked.append(token), monkeypatch, lacks=lacks)
    assert serve('old') == INCORRECT_STATE
    lacks.clear()
    assert serve('old') == INCORRECT_STATE
    assert (serve('new'), serve('old'), serve('new')) == (PENDING, INCORRECT_STATE, PENDING)
    assert asked == ['new']


def test_a_scene_that_cannot_be_laid_is_refused_and_the_last_one_stays(monkeypatch):
    def lay(_scene, token):
        if token == 'bad':
            raise SceneError('It holds beads.')

    server, serve = stage(lay, monkeypatch)
    assert (serve('good'), serve('bad'), serve('good')) == (PENDING, SCENE_INVALID, PENDING)
    assert server.pending


def test_a_person_reads_where_each_thing_lies_and_no_turn_that_nobody_sees():
    turned = Pose.from_rpy((0.5, -0.1, 0.02), (0, 0, radians(100)))
    cube, can = (Prop(kind, kind, (0.04, 0.04, 0.04), Color('red', (1, 0, 0)), 0.1, pose=turned) for kind in ('cube', 'cylinder'))
    bar = replace(cube, name='bar', size=(0.08, 0.04, 0.02))
    lying = replace(can, name='lying', pose=Pose.from_rpy((0.5, -0.1, 0.02), (radians(90), 0, 0)))
    todo, where, *things = in_words(Scene((cube, can, bar, lying)), profiles.robot('panda')).splitlines()
    assert 'joints at 0, -45, 0, -135, 0, 90, 45°' in todo
    assert 'x is away from the robot' in where and '10 cm apart' in where
    assert things[0] == '1. red cube 4.0 × 4.0 × 4.0 cm, at x 50.0, y -10.0 cm, turned by 10°'
    assert things[1] == '2. red cylinder 4.0 × 4.0 × 4.0 cm, at x 50.0, y -10.0 cm'
    assert things[2].endswith('turned by -80°') and things[3].endswith('lying as the picture shows')
