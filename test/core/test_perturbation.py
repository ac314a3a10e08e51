"""A perturbation is nothing unless asked for, says what it is with its units, and refuses what makes no sense."""

import pytest

from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.errors import ConfigError, VlmBenchError
from vlm_bench_sim.core.perturbation import Perturbation, kinds, read

PRESETS = {'lohoravens': {'pixel_noise': 3.0, 'drop_rate': 0.1}}
NAMES = [kind.name for kind in kinds()]


def test_there_is_none_unless_it_is_asked_for():
    assert not Perturbation()
    assert Perturbation().labels == ()
    assert read([], PRESETS) == read([' , '], PRESETS) == Perturbation()


@pytest.mark.parametrize('name', NAMES)
def test_each_kind_counts_and_is_told_with_its_unit_and_survives_json(name):
    size = 1.0 if name == 'distractors' else 0.05
    one = Perturbation(**{name: size})
    unit = next(kind.unit for kind in kinds() if kind.name == name)
    assert one
    assert one.labels == (f'{name}={size:g} {unit}'.rstrip(),)
    assert loads(dumps(one)) == Perturbation.from_json(dumps(one)) == one


def test_every_kind_is_explained():
    assert all(kind.meaning.strip() for kind in kinds())


def test_sizes_are_read_from_words_and_presets_and_the_later_ones_count():
    asked = read(['lohoravens', 'pixel_noise=5,action_noise=0.0025', ' drop_rate = 0.2 '.replace(' = ', '=')], PRESETS)
    assert asked == Perturbation(pixel_noise=5.0, action_noise=0.0025, drop_rate=0.2)
    assert asked.labels == ('pixel_noise=5 of 255', 'action_noise=0.0025 m', 'drop_rate=0.2 1/s')


@pytest.mark.parametrize(
    ('word', 'says'),
    [
        ('pixel_nose=3', 'Did you mean pixel_noise'),
        ('lohoraven', 'Did you mean lohoravens?'),
        ('lohoraven=3', 'Known: action_noise'),
        ('pixel_noise', r"pixel_noise needs a number \(of 255\); found ''"),
        ('drop_rate=often', r"found 'often'. Write drop_rate=0.1"),
        ('pixel_noise=-1', r'pixel_noise is a number in 0…255 \(of 255\); found -1.0'),
        ('camera_angle=-0.1', r'camera_angle is a number in 0…0.5 \(rad\)'),
        ('action_noise=10', r'action_noise is a number in 0…0.1 \(m\); found 10.0. Write action_noise=0.02.'),
        ('depth_noise=1e300', r'in 0…1 \(m\)'),
        ('camera_position=1e6', r'in 0…0.5 \(m\)'),
        ('distractors', r"distractors needs a number \(props\); found ''. Write distractors=2\."),
        ('drop_rate=1.5', 'in 0…1'),
        ('mass=nan', 'found nan'),
        ('action_noise=inf', 'found inf'),
        ('distractors=1.5', 'whole props'),
        ('table_height=0.5', 'in 0…0.1'),
        ('\x1b[31m' + 'x' * 1000, r'There is no perturbation called'),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(word, says):
    with pytest.raises(ConfigError, match=says) as refused:
        read([word], PRESETS)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize('kind', kinds(), ids=lambda kind: kind.name)
def test_every_kind_has_a_bound_and_what_an_error_advises_is_taken(kind):
    assert getattr(Perturbation(**{kind.name: kind.most // 1 or kind.most}), kind.name) <= kind.most < 1e3
    for wrong in ('', '-1', str(2 * kind.most + 1), 'inf', 'nan'):
        with pytest.raises(ConfigError) as refused:
            read([f'{kind.name}={wrong}' if wrong else kind.name], {})
        advised = str(refused.value).partition('Write ')[2].removesuffix('.')
        assert 0.0 < getattr(read([advised], {}), kind.name) <= kind.most


@pytest.mark.parametrize('text', ['{"is":"Pose"}', '{"is":"Perturbation","pixel_noise":"much"}', '{"is":"Perturbation","drop_rate":true}'])
def test_json_of_anything_else_is_refused(text):
    with pytest.raises(ConfigError):
        Perturbation.from_json(text)


def test_json_with_an_unknown_kind_is_refused():
    with pytest.raises(VlmBenchError, match='no field'):
        Perturbation.from_json('{"is":"Perturbation","pixel_nose":1}')


def test_whole_numbers_and_fractions_are_one_size():
    assert dumps(Perturbation(pixel_noise=3)) == dumps(Perturbation(pixel_noise=3.0))
    assert Perturbation.from_json('') == Perturbation.from_json('{"is":"Perturbation"}') == Perturbation()
