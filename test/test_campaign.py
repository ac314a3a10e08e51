"""Trials, and a campaign that plays only those that have no result yet."""

import pytest

from vlm_bench_sim.core.errors import AxisError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.campaign import Store, Watcher, carried_out
from vlm_bench_tasks.trial import Trial

ONE = Trial('vlmbench/pick_place', 'color', 'seen', 7, 'panda', perturbation=catalogue.perturbation(['mass=0.3']))
CHANGES = {
    'task': 'vlmbench/drawer', 'axis': 'shape', 'split': 'unseen', 'seed': 8, 'robot': 'ur5e', 'policy': 'still',
    'perturbation': catalogue.perturbation([]), 'cameras': 'vlmbench', 'width': 64, 'height': 64, 'prompt': 'pictures', 'engine': 'mujoco',
}  # fmt: skip


def changed(**change):
    return Trial(**(ONE.__dict__ | change))


@pytest.mark.parametrize('field', CHANGES)
def test_whatever_differs_between_two_trials_changes_the_token(field):
    assert CHANGES.keys() == ONE.__dict__.keys()
    other = changed(**{field: CHANGES[field]})
    assert other != ONE and other.token() != ONE.token()
    assert (other.key == ONE.key) == (field not in ('task', 'axis', 'split', 'seed'))


def test_a_token_is_the_same_for_the_same_trial_and_another_with_more():
    assert ONE.token('a') == changed().token('a') != ONE.token('b') != ONE.token()
    assert ONE.name == 'vlmbench-pick_place_color_seen_7'


def test_a_trial_builds_its_episode_perturbed():
    built = ONE.build()
    assert (built.task, built.axis, built.split, built.seed) == ONE.key
    assert built.perturbation == ONE.perturbation and built.revision == ONE.revision
    assert built == catalogue.perturbed(catalogue.build('vlmbench/pick_place', 'seen', 7, 'color'), ONE.perturbation)
    with pytest.raises(AxisError):
        changed(axis='colour').build()


class Shelf(Store[str], Watcher[str]):
    """Keeps results in memory, and remembers what it was told."""

    def __init__(self, results):
        self.results, self.told = results, []

    def known(self, trials):
        return {trial: self.results[trial] for trial in trials if trial in self.results}

    def keep(self, trial, result):
        self.results[trial] = f'kept {result}'
        return self.results[trial]

    def begun(self, total, known):
        self.told.append((total, known))

    def ended(self, trial, result):
        self.told.append((trial.seed, result))


def test_what_has_a_result_is_not_played_again_and_each_new_one_is_kept_as_it_comes():
    trials = [changed(seed=seed) for seed in range(3)]
    shelf, asked = Shelf({trials[1]: 'old'}), []

    def play_all(left):
        asked.extend(left)
        for trial in reversed(left):
            yield trial, f'{trial.seed}'

    found = carried_out(trials, shelf, play_all, shelf)
    assert asked == [trials[0], trials[2]]
    assert found == {trials[0]: 'kept 0', trials[1]: 'old', trials[2]: 'kept 2'}
    assert shelf.told == [(3, 1), (2, 'kept 2'), (0, 'kept 0')]


def test_an_interrupted_campaign_has_kept_what_had_ended_and_closes_its_players():
    trials, closed = [changed(seed=seed) for seed in range(3)], []

    class Impatient(Shelf):
        def ended(self, trial, result):
            raise KeyboardInterrupt

    def play_all(left):
        try:
            for trial in left:
                yield trial, 'played'
        finally:
            closed.append(True)

    shelf = Impatient({})
    with pytest.raises(KeyboardInterrupt):
        carried_out(trials, shelf, play_all, shelf)
    assert shelf.results == {trials[0]: 'kept played'} and closed == [True]
