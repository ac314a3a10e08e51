"""Files of settings that say anything at all are read to sound values, or refused by the name of the file."""

import shutil
from dataclasses import is_dataclass
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from test.fuzz import changes, tries, words
from vlm_bench_sim import profiles
from vlm_bench_sim.assets import config
from vlm_bench_sim.core.codec import unfit
from vlm_bench_sim.core.errors import ConfigError, VlmBenchError
from vlm_bench_tasks import catalogue, graph, settings

YAML = (
    '2001-13-45',
    '0x_',
    '0b_',
    '1:99',
    '[' * 3000,
    '{a: 1',
    '&a [*a]',
    '<<: 1',
    '? [a]',
    '!!python/object:os.system {}',
    '- a\nb',
    '\t',
)


def camera_sets():
    found = [profiles.cameras(name) for name in profiles.camera_sets()]
    return [*found, graph._cameras('lohoravens'), graph._cameras('lohoravens:top')]


def splits():
    found = settings.splits.__wrapped__('vlmbench')
    return [(name, pools.colors if hasattr(pools, 'colors') else repr(pools)) for name, pools in found.pools.items()]


READERS = {
    'cameras.yaml': camera_sets,
    'robots/panda.yaml': lambda: profiles._read.__wrapped__(profiles.config('robots/panda.yaml')),
    'robots/ur5e.yaml': lambda: profiles._read.__wrapped__(profiles.config('robots/ur5e.yaml')),
    'splits.yaml': splits,
    'reach.yaml': settings.workspace.__wrapped__,
    'perturbations.yaml': settings.perturbations.__wrapped__,
}
DOCUMENTS = {file: yaml.safe_load(config(file).read_text()) for file in READERS}
files = pytest.mark.parametrize('file', READERS)


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Writes a file of settings that stands in for the real one."""

    def given_or_real(relative):
        return next((path for path in [tmp_path / relative] if path.is_file()), None) or config(relative)

    def write(file, content):
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)

    (tmp_path / 'robots').mkdir()
    for urdf in config('robots/panda.yaml').parent.glob('*.urdf'):
        shutil.copy(urdf, tmp_path / 'robots')
    for module in (profiles, settings):
        monkeypatch.setattr(module, 'config', given_or_real)
    return write


def sound(value):
    """Tell what is wrong with values that were read: a number that is not finite, or a word that cannot be told."""
    if is_dataclass(value):
        return unfit(value)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return next(filter(None, map(sound, inner)), '')


def read(file):
    """Read the file to sound values, or be refused by its name."""
    try:
        found = READERS[file]()
    except VlmBenchError as error:
        assert Path(file).stem in str(error) or (isinstance(error, ConfigError) and 'There is no camera set' in str(error)), error
        return None
    assert sound(found) == ''
    return found


@files
def test_another_layout_of_a_file_says_the_same(written, file):
    document, before = DOCUMENTS[file], READERS[file]()
    for style in (True, False):
        written(file, yaml.safe_dump(document, default_flow_style=style, sort_keys=False).encode())
        assert repr(read(file)) == repr(before)


@files
@tries(8)
@given(data=st.data())
def test_a_file_that_was_changed_anywhere_is_read_or_refused_by_its_name(written, file, data):
    document = data.draw(changes(DOCUMENTS[file]))
    written(file, yaml.safe_dump(document).encode(errors='surrogatepass'))
    read(file)


@files
@tries(6)
@given(data=st.data())
def test_a_file_of_any_text_or_bytes_is_read_or_refused_by_its_name(written, file, data):
    whole = config(file).read_bytes()
    at = data.draw(st.integers(0, len(whole)))
    put = data.draw(
        st.one_of(st.binary(max_size=6), st.sampled_from(YAML).map(str.encode), words.map(lambda text: text.encode(errors='replace')))
    )
    written(file, whole[:at] + put + data.draw(st.sampled_from((whole[at:], whole[at + 1 :], b''))))
    read(file)


PERTURB = st.one_of(words, st.sampled_from(('lohoravens', 'colosseum', 'friction', 'distractors', 'drop_rate')))


@tries(60)
@given(st.lists(st.one_of(PERTURB, st.tuples(PERTURB, st.one_of(words, st.floats().map(str), st.integers(-1, 11).map(str))).map('='.join))))
def test_perturbations_in_any_words_are_refused_or_read_back_as_they_are_told(said):
    try:
        found = catalogue.perturbation(said)
    except ConfigError as error:
        assert str(error).count('\n') == 0
        return
    assert catalogue.perturbation([told.split()[0] for told in found.labels]).labels == found.labels


@tries(60)
@given(st.sampled_from(sorted(graph.SETTINGS)), st.one_of(words, st.sampled_from(YAML), st.floats().map(str), st.booleans().map(str)))
def test_a_setting_in_any_words_is_refused_or_of_its_type(name, text):
    try:
        value = graph.read(name, text)
    except ConfigError as error:
        assert name in str(error)
        return
    assert type(value) is type(graph.SETTINGS[name].default)
