"""Recorded episodes to look at."""

import pytest

from test.looked_at import record


@pytest.fixture(scope='session')
def bags(tmp_path_factory):
    return record(tmp_path_factory.mktemp('looked_at'))
