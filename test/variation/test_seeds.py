"""Seeds are for one thing each: to learn from, to choose by, or to be measured by; the published ranges bind data sets and scores."""

from itertools import pairwise

import pytest

from vlm_bench_sim.core.errors import SeedError, SplitError, TaskError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.variation.seeds import PURPOSES, purpose, read_seeds

RAVENS, STACK = 'lohoravens/match_bowls', 'vlmbench/stack'


@pytest.mark.parametrize(
    ('seeds', 'word'),
    [
        (range(1), 'train'), (range(79_999, 80_000), 'train'), (range(80_000, 100_000), 'validate'), (range(100_000, 100_001), 'test'),
        (range(5_000_000, 5_000_020), 'test'),
    ],
)  # fmt: skip
def test_each_seed_is_for_one_thing(seeds, word):
    assert purpose(seeds) == word


def test_seeds_are_read_as_a_range_or_as_one():
    assert (read_seeds('0:200'), read_seeds('7'), read_seeds('100000:100001')) == (range(200), range(7, 8), range(100_000, 100_001))
    for text in ('', ':', '5:', ':5', '5:5', '6:5', '-1:5', '1-5', '1:2:3', '²:3', 'all'):
        with pytest.raises(SeedError, match='Seeds are given as first:last'):
            read_seeds(text)


def test_purposes_cover_all_seeds_without_a_gap():
    ranges = list(PURPOSES.values())
    assert ranges[0].start == 0 and all(a.stop == b.start for a, b in pairwise(ranges))


@pytest.mark.parametrize(
    ('seeds', 'text'),
    [
        (range(0), 'No seeds were given'),
        (range(-3, 5), 'Seeds -3 to 4 do not all have one purpose'),
        (range(79_990, 80_010), r'Seeds 79990 to 80009 do not all have one purpose \(train 0 to 79999, validate 80000 to 99999'),
    ],
)
def test_seeds_of_no_one_purpose_are_refused(seeds, text):
    with pytest.raises(SeedError, match=text):
        purpose(seeds)


@pytest.mark.parametrize(('split', 'seeds', 'word'), [('train', range(1000), 'train'), ('val', range(80_000, 80_200), 'validate')])
def test_demonstrations_are_made_of_the_published_seeds(split, seeds, word):
    assert catalogue.seeds_to_learn_from(RAVENS, split, seeds) == word
    assert catalogue.seeds_to_score(RAVENS, split, seeds) == word


@pytest.mark.parametrize(
    ('split', 'seeds', 'text'),
    [
        (
            'train',
            range(990, 1001),
            r"match_bowls', split 'train', has the seeds 0 to 999; requested were 990 to 1000. Use published",
        ),
        ('val', range(10), r'has the seeds 80000 to 80199; requested were 0 to 9\..* These are seeds of --split train\.'),
        ('test', range(100_000, 100_020), 'Seeds 100000 to 100019 are for tests, not for demonstrations. Use seeds up to 79999'),
        ('train', range(100_000, 100_001), 'are for tests'),
    ],
)
def test_other_seeds_are_no_demonstrations(split, seeds, text):
    with pytest.raises(SeedError, match=text):
        catalogue.seeds_to_learn_from(RAVENS, split, seeds)


def test_scores_say_what_their_seeds_are_for():
    assert catalogue.seeds_to_score(RAVENS, 'test', range(100_000, 100_200)) == 'test'
    assert catalogue.seeds_to_score(STACK, 'unseen', range(100_000, 100_100)) == 'test'
    assert catalogue.seeds_to_score(STACK, 'seen', range(5)) == 'train'
    with pytest.raises(SeedError, match='has the seeds 100000 to 100199; requested were 100190 to 100209'):
        catalogue.seeds_to_score(RAVENS, 'test', range(100_190, 100_210))


def test_without_a_range_of_its_own_a_split_has_every_seed_but_those_of_tests_to_learn_from():
    assert catalogue.seeds_to_learn_from(STACK, 'seen', range(79_000, 80_000)) == 'train'
    with pytest.raises(SeedError, match='are for tests'):
        catalogue.seeds_to_learn_from(STACK, 'unseen', range(100_000, 100_010))


def test_tasks_and_splits_must_exist():
    with pytest.raises(TaskError, match='There is no task called'):
        catalogue.seeds_to_score('lohoravens/match_bowl', 'test', range(1))
    with pytest.raises(SplitError, match='has no split called'):
        catalogue.seeds_to_learn_from(RAVENS, 'seen', range(1))


def test_a_name_is_a_task_or_a_family():
    assert catalogue.chosen(RAVENS) == (RAVENS,)
    assert len(catalogue.chosen('lohoravens')) == 11
    assert catalogue.chosen('*/match_*') == ('clevrskills/match_pose', RAVENS)
    assert set(catalogue.chosen('*')) == set(catalogue.tasks())
    with pytest.raises(TaskError, match=r"no task or family called 'lohoraven'\. Did you mean lohoravens"):
        catalogue.chosen('lohoraven')
