"""A recorded bag again, without some of its messages."""

from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.ros import names


def rewritten(path, folder, *, keep):
    """The same bag with those messages only for which `keep(topic, number on it)` holds."""
    bag, counts = open_bag(path), {}
    rows = {row.name: row for row in names.recorded(robot('panda'), ('front', 'wrist'))}
    writer = BagWriter(folder, 'again', custom=dict(bag.custom))
    for raw in bag.raw():
        counts[raw.topic] = counts.get(raw.topic, -1) + 1
        if keep(raw.topic, counts[raw.topic]):
            writer.write(rows[raw.topic], raw.data)
    return writer.close()
