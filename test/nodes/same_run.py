"""What a bag holds against a run in this process."""

from vlm_bench_sim.bags.reader import report, state_hashes


def assert_same(bag, run):
    """Compare the reports first: where an episode over ROS ended early, their causes say why, and the states only say when."""
    said = report(bag)
    ended = f'over ROS, at period {said.seq}: {"; ".join(said.causes)}'
    assert (said.verdict, list(said.causes)) == (run.report.verdict.code, list(run.report.causes)), ended
    over_ros, here = state_hashes(bag), tuple(run.hashes)
    same = next((i for i, (one, other) in enumerate(zip(over_ros, here, strict=False)) if one != other), min(len(over_ros), len(here)))
    assert (len(over_ros), same) == (len(here), len(here)), 'the numbers of states, and of those that are the same from the start'
