"""A bag that is damaged anywhere, in any way, is refused in a sentence, or what is read from it is what was written."""

import json
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from mcap.records import Chunk
from typer.testing import CliRunner

from test.bags import mutated
from test.fuzz import changes, tries
from test.small_bag import recorded
from vlm_bench_sim.bags.checksums import check
from vlm_bench_sim.bags.metadata import FILE
from vlm_bench_sim.bags.reader import open_bag, report, snapshots
from vlm_bench_sim.bags.recover import recover
from vlm_bench_sim.core.errors import BagError, VlmBenchError
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.dataset.judge import judge
from vlm_bench_tasks.judging.messages import read_report

NUMBERS = st.integers(0, 1 << 20)
EDITS = st.sampled_from(('drop', 'twice', 'move', 'swap'))
MASKS = st.integers(1, 255)
WRONG = st.sampled_from((False, True))


def exported(path):
    """The numbers of a bag as trainers get them."""
    with tempfile.TemporaryDirectory() as folder:
        called('export', 'numpy', path, f'{folder}/out', '--fps', '20', '--failures')
        return {
            file.name: {key: value.tolist() for key, value in np.load(file, allow_pickle=False).items()}
            for file in Path(folder).rglob('*.npz')
        }


def called(*words):
    """Call a command in this process; what it refuses is raised as the error that it was, and anything else that it raises, too."""
    result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    if result.exit_code == 2:
        assert result.stderr.startswith('error: ') and 'Traceback' not in result.output, result.output
        raise BagError(result.stderr)
    assert result.exit_code in (0, 1), result.output
    return result.exit_code, result.stdout


def judged(path):
    code, said = called('judge', path, '--json')
    return code, json.loads(said)


def replayed(path):
    code, said = called('replay', path, '--json')
    return code, json.loads(said) | {'other_versions': []}


READERS = {
    'snapshots': lambda path: list(snapshots(open_bag(path))),
    'report': lambda path: read_report(report(open_bag(path))),
    'judge': judged,
}
SLOW = {'replay': replayed, 'export': exported}


@dataclass(frozen=True)
class Recording:
    """A bag with what every reader makes of it."""

    path: Path
    file: str
    content: bytes
    metadata: str
    read: dict

    @contextmanager
    def damaged(self, content=None, metadata=None):
        """The bag with another file of messages, or another metadata.yaml."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / self.path.name
            path.mkdir()
            (path / self.file).write_bytes(self.content if content is None else content)
            (path / FILE).write_text(self.metadata if metadata is None else metadata, encoding='utf-8')
            yield path


@pytest.fixture(scope='module')
def bag(tmp_path_factory):
    path = recorded(tmp_path_factory.mktemp('bags'))
    (file,) = path.glob('*.mcap')
    read = {name: reader(path) for name, reader in (READERS | SLOW).items()}
    return Recording(path, file.name, file.read_bytes(), (path / FILE).read_text(), read)


@pytest.fixture(scope='module')
def whole(bag):
    with (bag.path / bag.file).open('rb') as stream:
        return mutated.parts(stream)


def unharmed(bag, path, readers=READERS):
    """Hold what each reader makes of a damaged bag against the sound one; return who refused it."""
    refused = set()
    for name, reader in readers.items():
        try:
            found = reader(path)
        except VlmBenchError as error:
            assert str(error).strip().count('\n') == 0, error
            refused.add(name)
            continue
        assert repr(found) == repr(bag.read[name]), name
    return refused


def left_over(bag, path):
    """Recover it: of the states there is one stretch, as it was, or the new bag is refused."""
    try:
        found = list(snapshots(open_bag(recover(path).path)))
    except VlmBenchError:
        return
    seqs = [snapshot.seq for snapshot in found]
    assert found == bag.read['snapshots'][seqs[0] : seqs[-1] + 1]


def test_the_sound_bag_is_put_together_again_as_it_was(bag, whole):
    assert sum(isinstance(record, Chunk) for record in whole.data) >= 3
    with bag.damaged(mutated.assembled(whole)) as path:
        check(open_bag(path))
        assert unharmed(bag, path, READERS | SLOW) == set()


@tries(8)
@given(st.lists(st.tuples(NUMBERS, MASKS), min_size=1, max_size=4))
def test_bytes_that_changed_are_found_or_do_no_harm(bag, changed):
    content = bag.content
    for at, mask in changed:
        content = mutated.flipped(content, at * 1_000_003, mask)
    with bag.damaged(content) as path:
        if content != bag.content:
            with pytest.raises(BagError):
                check(open_bag(path))
        unharmed(bag, path)
        left_over(bag, path)


@tries(4)
@given(NUMBERS, st.binary(max_size=40))
def test_a_file_that_ends_early_or_in_something_else_is_refused(bag, at, tail):
    content = bag.content[: at % len(bag.content)] + tail
    with bag.damaged(content) as path:
        assert unharmed(bag, path) == set(READERS)
        left_over(bag, path)


@tries(8)
@given(st.lists(st.tuples(EDITS, NUMBERS, NUMBERS), min_size=1, max_size=3))
def test_records_that_are_gone_or_elsewhere_are_missed_or_do_no_harm(bag, whole, edits):
    data = whole.data
    for edit in edits:
        data = mutated.edited(data, *edit)
    with bag.damaged(mutated.assembled(mutated.Parts(tuple(data), whole.summary))) as path:
        unharmed(bag, path)
        left_over(bag, path)


@tries(8)
@given(st.data())
def test_a_chunk_with_other_content_and_the_old_checksum_is_refused(bag, whole, data):
    changed = refilled(whole, data, right=False)
    with bag.damaged(mutated.assembled(changed)) as path:
        if changed == whole:
            return
        with pytest.raises(BagError, match='is damaged'):
            list(open_bag(path).raw())
        unharmed(bag, path)
        left_over(bag, path)


@tries(12)
@given(st.data())
def test_a_forged_chunk_with_the_right_checksum_is_refused_or_shows_in_the_judgement(bag, whole, data):
    """Its checksums are right, so nobody can tell it from another recording; but its states have hashes, and its report a second judge."""
    with bag.damaged(mutated.assembled(refilled(whole, data, right=True))) as path:
        in_words(path, READERS)
        complained(bag, path)


def in_words(path, readers):
    """Read a bag, and fail unless each reader reads it or refuses it in one line."""
    for reader in readers.values():
        try:
            reader(path)
        except VlmBenchError as error:
            assert str(error).strip().count('\n') == 0, error


def complained(bag, path):
    """Judge: refused, the same verdict of the same states, or said not to be what was recorded."""
    try:
        found = judge(path)
    except VlmBenchError:
        return
    _, before = bag.read['judge']
    verdict = (found.report.verdict.value, found.report.score, list(found.report.causes))
    if found.agrees:
        assert verdict == (before['verdict'], before['score'], before['causes'])


def refilled(whole, data, *, right):
    """Draw a change of what is in one chunk."""
    chunks = [i for i, record in enumerate(whole.data) if isinstance(record, Chunk)]
    number = data.draw(st.sampled_from(chunks), label='chunk')
    records = mutated.inner(whole.data[number])
    if data.draw(WRONG, label='in a message'):
        records = mutated.messages_changed(records, data.draw(NUMBERS), data.draw(NUMBERS), data.draw(MASKS))
    else:
        records = mutated.edited(records, data.draw(EDITS), data.draw(NUMBERS), data.draw(NUMBERS))
    if records == mutated.inner(whole.data[number]):
        return whole
    chunk = mutated.filled(whole.data[number], records, right=right)
    return mutated.Parts((*whole.data[:number], chunk, *whole.data[number + 1 :]), whole.summary)


@tries(12)
@given(st.data())
def test_metadata_that_say_something_else_are_refused_or_do_no_harm(bag, data):
    document = data.draw(changes(yaml.safe_load(bag.metadata)))
    try:
        text = yaml.safe_dump(document, allow_unicode=True)
        text.encode()
    except UnicodeEncodeError:
        return
    with bag.damaged(metadata=text) as path:
        unharmed(bag, path)


@tries(3)
@given(NUMBERS, MASKS)
def test_a_replay_or_an_export_of_a_damaged_bag_is_refused_or_of_what_was_recorded(bag, at, mask):
    with bag.damaged(mutated.flipped(bag.content, at * 1_000_003, mask)) as path:
        unharmed(bag, path, SLOW)


@tries(3)
@given(st.data())
def test_a_replay_or_an_export_of_a_forged_bag_ends_in_words(bag, whole, data):
    with bag.damaged(mutated.assembled(refilled(whole, data, right=True))) as path:
        in_words(path, SLOW)
