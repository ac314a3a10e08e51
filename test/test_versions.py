"""What decides a score has a version; what the machine is like is told apart from it."""

import platform
import shutil
from xml.etree import ElementTree

import pytest

from vlm_bench_sim import __version__
from vlm_bench_sim.assets import config, share
from vlm_bench_sim.core.arithmetic import processor
from vlm_bench_sim.versions import configuration, versions


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(share() / 'config', tmp_path / 'config')


def test_each_library_that_decides_a_score_is_named_with_its_version():
    first, *others, last = versions('Mesa llvmpipe')
    assert (first, last) == (f'vlm_bench={__version__}', 'renderer=Mesa llvmpipe')
    told = dict(word.split('=', 1) for word in others)
    assert told.keys() >= {'pybullet', 'numpy', 'scipy', 'trimesh', 'fast-simplification', 'opencv-python-headless', 'moderngl', 'config'}
    assert 'unknown' not in told.values()
    assert not any(' ' in word for word in others)


def test_the_configuration_has_the_digest_of_what_is_in_it(folder):
    assert f'config={configuration(folder)}' in versions('none') == versions('none')


@pytest.mark.parametrize('name', ['robots/panda.urdf', 'robots/ur5e.yaml', 'cameras.yaml', 'splits.yaml', 'reach.yaml'])
def test_one_other_byte_or_name_in_the_configuration_is_another_digest(folder, name):
    before, file = configuration(folder), folder / name
    file.write_bytes(file.read_bytes().replace(b'0', b'1', 1))
    changed = configuration(folder)
    file.rename(file.with_name('other'))
    assert len({before, changed, configuration(folder)}) == 3


@pytest.mark.parametrize('name', ['fastdds.xml', 'fastdds_sockets.xml', 'rosetta.yaml'])
def test_how_messages_travel_decides_no_score(folder, name):
    before = configuration(folder)
    (folder / name).write_text('')
    assert configuration(folder) == before


def test_sockets_are_set_as_beside_shared_memory():
    """The second profile is the first one without shared memory, and without its comments."""
    whole, sockets = (ElementTree.parse(config(name)).getroot() for name in ('fastdds.xml', 'fastdds_sockets.xml'))
    for parent in whole.iter():
        for child in list(parent):
            if any(part.text == 'shared_memory' for part in child.iter()) and child.tag.endswith(('transport_descriptor', 'transport_id')):
                parent.remove(child)
    assert [(part.tag, part.attrib, (part.text or '').strip()) for part in whole.iter()] == [
        (part.tag, part.attrib, (part.text or '').strip()) for part in sockets.iter()
    ]


def test_the_processor_is_no_version():
    assert processor().split()[0] == platform.machine()
    assert not any('processor' in word for word in versions('none'))
