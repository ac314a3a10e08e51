"""Which files are a policy's own: what its digest covers."""

import pytest

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation import own_modules as own
from vlm_bench_tasks.evaluation.policy_digest import digest


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


PACKAGE = {
    'mine/__init__.py': '',
    'mine/policy.py': 'import numpy\nfrom vlm_bench_tasks.policy import Policy\nfrom mine.net import Net\nfrom . import words\n',
    'mine/net.py': 'import mine.deep.layers as layers\n',
    'mine/words.py': '',
    'mine/deep/__init__.py': 'from .. import seldom\n',
    'mine/deep/layers.py': 'def late():\n    from ..late import that\n',
    'mine/seldom.py': '',
    'mine/late.py': 'that = 1\n',
    'mine/other.py': '',
    'numpy_like.py': '',
}


@pytest.fixture(params=['folder', 'site-packages'])
def root(request, tmp_path, monkeypatch):
    write(tmp_path / request.param, PACKAGE)
    monkeypatch.chdir(tmp_path / request.param if request.param == 'folder' else tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path / request.param))
    return tmp_path / request.param


def test_they_are_what_is_imported_of_the_package_at_any_depth(root):
    names = {'mine', 'mine.policy', 'mine.net', 'mine.words', 'mine.deep', 'mine.deep.layers', 'mine.seldom', 'mine.late'}
    assert own.own_modules('mine.policy').keys() == names


@pytest.mark.parametrize(('changed', 'counts'), [('mine/late.py', True), ('mine/other.py', False)])
def test_an_edit_counts_where_it_is_imported(root, changed, counts):
    before = digest('mine.policy:Policy')
    (root / changed).write_text('that = 2\n')
    assert (digest('mine.policy:Policy') != before) is counts


def test_modules_beside_a_single_file_count_and_those_of_the_installation_do_not(tmp_path, monkeypatch):
    files = {'policy.py': 'import helper\nimport json\nimport numpy\n', 'helper.py': 'x = 1\n', 'unused.py': ''}
    write(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    assert own.own_modules('policy').keys() == {'policy', 'helper'}
    write(tmp_path / 'site-packages', files)
    monkeypatch.chdir(tmp_path / 'site-packages')
    assert own.own_modules('policy').keys() == {'policy'}


def test_what_is_no_python_or_imports_itself_or_is_nowhere_does_no_harm(tmp_path, monkeypatch):
    write(tmp_path, {'policy.py': 'import broken, policy\nfrom .... import far\n', 'broken.py': 'def (\n'})
    monkeypatch.chdir(tmp_path)
    assert own.own_modules('policy').keys() == {'policy', 'broken'}
    assert own.own_modules('nowhere.at_all') == {} and digest('nowhere.at_all:Policy') == ''


def test_too_many_are_refused(tmp_path, monkeypatch):
    write(tmp_path, PACKAGE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(own, 'MOST_MODULES', 3)
    with pytest.raises(ConfigError, match='imports more than 3 modules'):
        own.own_modules('mine.policy')
