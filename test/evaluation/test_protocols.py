"""Each protocol can be played as it stands, and holds the numbers that its suite publishes."""

import pytest

from vlm_bench_sim import profiles
from vlm_bench_sim.core.aids import AIDS
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.evaluation.protocols import PROTOCOLS, level_or_task, protocol
from vlm_bench_tasks.language.pictures import WORDS
from vlm_bench_tasks.sizes import read_size

EVERY = tuple(PROTOCOLS.values())


def episodes(name):
    """How many episodes the first table of a protocol has, by task."""
    wanted = PROTOCOLS[name]
    cell = len(wanted.splits) * len(wanted.seeds)
    return {task.partition('/')[2]: cell * len(wanted.axes(task)) for task in wanted.tasks(wanted.variants[0])}


def test_every_family_has_a_protocol_of_its_name():
    assert {wanted.name for wanted in EVERY} == set(catalogue.families()) == set(PROTOCOLS)


@pytest.mark.parametrize('wanted', EVERY, ids=lambda wanted: wanted.name)
def test_a_protocol_names_what_exists_and_scores_on_test_seeds(wanted):
    robots = {catalogue.task(task).robot for task in wanted.tasks(wanted.variants[0])}
    assert all(profiles.cameras(wanted.cameras, *read_size(wanted.size), robot=robot) for robot in robots)
    for variant in wanted.variants:
        assert set(variant.assist) <= set(AIDS) and variant.assist == tuple(sorted(variant.assist))
        assert set(variant.leaves_out) <= set(catalogue.tasks())
        for task in wanted.tasks(variant):
            assert catalogue.check_prompt(catalogue.task(task), task, variant.prompt) == variant.prompt
            assert set(wanted.axes(task)) <= set(catalogue.task(task).axes)
            assert {catalogue.seeds_to_score(task, split, wanted.seeds) for split in wanted.splits} == {'test'}


@pytest.mark.parametrize('wanted', EVERY, ids=lambda wanted: wanted.name)
def test_a_protocol_says_what_the_paper_says_of_each_thing_that_it_fixes(wanted):
    said = [point.what for point in wanted.points]
    assert len(said) == len(set(said))
    assert {'tasks', 'splits', 'episodes', 'asked', 'cameras', 'size', 'aids', 'limits', 'numbers'} <= set(said)
    assert all(point.paper for point in wanted.points)


def test_clevrskills_has_the_published_levels_and_leaves_out_in_words_what_words_cannot_ask():
    wanted = PROTOCOLS['clevrskills']
    pictures, words = wanted.variants
    counts = [sum(catalogue.task(task).level == level for task in wanted.tasks(pictures)) for level in wanted.levels]
    assert (counts, len(wanted.seeds)) == ([12, 15, 6], 20)
    assert set(words.leaves_out) == {task for task in wanted.tasks(pictures) if WORDS not in catalogue.task(task).prompts}
    assert len(wanted.tasks(words)) == 27


def test_the_other_suites_have_their_published_numbers_of_episodes():
    assert sum(episodes('arnold').values()) == 800 and set(episodes('arnold').values()) == {100}
    assert episodes('lohoravens') == {task: 600 if task == 'pick_and_place' else 200 for task in episodes('lohoravens')}
    published = {
        'pick_place': 396,
        'stack': 392,
        'drop_pencil': 296,
        'shape_sorter': 300,
        'pour': 300,
        'wipe': 500,
        'door': 100,
        'drawer': 96,
    }
    assert {task: count // 2 for task, count in episodes('vlmbench').items()} == {  # 96 where the variations divide 100 so
        task: -(-count // 100) * 100 for task, count in published.items()
    }


def test_cells_are_named_by_levels_where_tasks_have_some():
    assert (level_or_task('clevrskills/balance'), level_or_task('vlmbench/door')) == ('L2', 'vlmbench/door')
    assert level_or_task('toys/roll') == 'toys/roll'


def test_an_unknown_protocol_or_table_is_named_with_what_is_near():
    with pytest.raises(ConfigError, match=r"no protocol called 'clevrskils'.* Did you mean clevrskills"):
        protocol('clevrskils')
    with pytest.raises(ConfigError, match=r"clevrskills has no table called 'word'.* Did you mean words"):
        PROTOCOLS['clevrskills'].variant('word')
