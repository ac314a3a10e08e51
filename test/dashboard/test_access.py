"""Who may use the window."""

import socket

import pytest

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.dashboard import access
from vlm_bench_tasks.dashboard.access import ROLES, Access, encryption

HERE = Access()


@pytest.mark.parametrize('host', ['localhost:8100', '127.0.0.1:8100', '[::1]:9000', 'LOCALHOST', '127.0.0.2:1'])
def test_this_machine_is_known_by_any_port_as_a_tunnel_has_another(host):
    assert HERE.knows(host)
    assert HERE.may_ask(host, f'http://{host.lower()}')


@pytest.mark.parametrize(
    'host',
    [
        '', 'evil.com', 'localhost.evil.com:8100', 'evil.com:8100', '192.168.0.7:8100', 'localhost:port', 'localhost:8100/x', 'a@localhost',
        '[::1', '0.0.0.0:8100', 'localhost?; script-src *', 'localhost#x', 'localhost:8100:1', 'localhost:123456', 'localhost:8100\r\nX: y',
    ],
)  # fmt: skip
def test_no_other_name_is_known(host):
    assert not HERE.knows(host)


@pytest.mark.parametrize(
    'origin',
    [
        '',
        'null',
        'http://evil.com',
        'https://localhost:8100',
        'http://localhost:8101',
        'http://localhost',
        'file://',
        'http://localhost:8100.evil.com',
    ],
)
def test_only_its_own_page_may_ask(origin):
    assert not HERE.may_ask('localhost:8100', origin)
    assert HERE.may_ask('localhost:8100', 'http://localhost:8100')


def test_the_token_is_long_new_each_time_and_not_shown_by_chance():
    assert len(HERE.token) >= 32 and Access().token != HERE.token
    assert HERE.token not in repr(HERE)
    assert HERE.role(HERE.token) == 'all'
    tokens = {role: HERE.token_of(role) for role in ROLES}
    assert len(set(tokens.values())) == len(ROLES) and {HERE.role(token): token for token in tokens.values()} == tokens
    assert tokens['watch'] != Access().token_of('watch')
    assert HERE.role('') is HERE.role(HERE.token[:-1]) is HERE.role('ü' * 32) is HERE.role('watch') is None


def test_the_address_holds_the_token_where_browsers_send_it_to_nobody():
    assert HERE.address(8100) == f'http://127.0.0.1:8100/#{HERE.token}'
    assert Access('::1').address(1).startswith('http://[::1]:1/#')
    assert Access('0.0.0.0', name='arm.lab', secure=True).address(443).startswith('https://arm.lab:443/#')


@pytest.mark.parametrize(
    ('changed', 'says'),
    [
        ({'port': 70_000}, 'from 0 to 65535'),
        ({'port': -1}, 'from 0 to 65535'),
        ({'name': 'arm.lab:8443'}, 'without port'),
        ({'name': 'a/b'}, 'without port'),
        ({'host': '0.0.0.0', 'secure': True}, '--name'),
        ({'host': '::', 'secure': True}, '--name'),
    ],
)
def test_an_address_that_no_page_could_open_is_refused(changed, says):
    with pytest.raises(ConfigError, match=says):
        Access(**changed)
    here = Access('192.168.0.7', secure=True)
    assert here.may_ask('192.168.0.7:8100', 'https://192.168.0.7:8100') and here.address(8100).startswith('https://192.168.0.7:8100/#')


@pytest.mark.parametrize('host', ['0.0.0.0', '::', '192.168.0.7', 'arm.lab', ''])
def test_nobody_listens_to_the_network_without_encryption(host):
    with pytest.raises(ConfigError, match='without encryption'):
        Access(host)
    served = Access(host, name='arm.lab', secure=True)
    assert served.knows('arm.lab:8100') and not served.knows('other.lab:8100')


def test_a_certificate_needs_its_key_and_both_must_be_ones(tmp_path):
    assert encryption('', '') is None
    for files in (('a.pem', ''), ('', 'b.pem')):
        with pytest.raises(ConfigError, match='Name both'):
            encryption(*files)
    (tmp_path / 'a.pem').write_text('no certificate')
    for file in ('a.pem', 'missing.pem'):
        with pytest.raises(ConfigError, match='are no certificate with its key'):
            encryption(str(tmp_path / file), str(tmp_path / file))


def test_a_window_that_nobody_named_a_port_for_takes_another_if_the_usual_one_is_taken(monkeypatch):
    with socket.create_server((access.LOOPBACK, 0)) as other:
        monkeypatch.setattr(access, 'USUAL_PORT', other.getsockname()[1])
        assert access.usual_port(access.LOOPBACK) == 0
    assert access.usual_port(access.LOOPBACK) == access.USUAL_PORT
