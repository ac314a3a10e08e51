"""The layouts for Foxglove and RViz show what a bench publishes, in the same words as a bag holds it."""

import json
import re
from pathlib import Path

import pytest
import yaml

from vlm_bench_sim.bags.definitions import store
from vlm_bench_sim.ros import names

LAYOUTS = Path(__file__).parents[2] / 'layouts'
ROWS = {row.name: row for row in (*names.FIXED, *(row.camera(camera) for row in names.CAMERA_NAMES for camera in ('front', 'wrist')))}
FOXGLOVE = json.loads((LAYOUTS / 'foxglove.json').read_text())
RVIZ = yaml.safe_load((LAYOUTS / 'bench.rviz').read_text())['Visualization Manager']


def leaves(tree):
    """The panels of a Foxglove layout."""
    return [tree] if isinstance(tree, str) else [*leaves(tree['first']), *leaves(tree['second'])]


def paths():
    """Every topic in the Foxglove layout, with the field that it shows."""
    found = []
    for config in FOXGLOVE['configById'].values():
        found += [one['value'] for one in config.get('paths', ())] + [config[key] for key in ('topicPath',) if config.get(key)]
        found += [*config.get('topics', ()), *config.get('imageMode', {}).values()]
        found += [layer['topic'] for layer in config.get('layers', {}).values() if 'topic' in layer]
    return found


def test_every_panel_has_its_place_once():
    assert sorted(leaves(FOXGLOVE['layout'])) == sorted(FOXGLOVE['configById'])


@pytest.mark.parametrize('path', paths())
def test_foxglove_is_asked_for_fields_that_there_are_and_that_bags_hold(path):
    topic, _, field = path.partition('.')
    row = ROWS[topic]
    assert row.recorded
    assert not field or re.sub(r'\[.*', '', field) in {name for name, _ in store().fielddefs[row.type][1]}


def test_rviz_is_asked_for_topics_that_there_are_with_their_qos():
    shown = {display['Name']: display for display in RVIZ['Displays']}
    assert RVIZ['Global Options']['Fixed Frame'] == 'world'
    for display in shown.values():
        for key in ('Topic', 'Description Topic'):
            if key in display:
                row = ROWS[display[key]['Value']]
                assert row.recorded
                assert (display[key]['Durability Policy'] == 'Transient Local') is row.latched
    assert {shown['Front points'][key] for key in ('Depth Map Topic', 'Color Image Topic')} < set(ROWS)
