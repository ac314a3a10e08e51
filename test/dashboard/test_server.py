"""The server of the window, over real sockets: its files, its checks and its answers."""

import asyncio
import json
import subprocess
from contextlib import asynccontextmanager
from ssl import create_default_context

import pytest

pytest.importorskip('websockets')

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from vlm_bench_sim.core.errors import BagError, ConfigError
from vlm_bench_tasks.dashboard import server as serving
from vlm_bench_tasks.dashboard import wire
from vlm_bench_tasks.dashboard.access import Access, encryption
from vlm_bench_tasks.dashboard.server import Server

ACCESS = Access()


async def desk(ask, _):
    if isinstance(ask, wire.Open):
        raise BagError('There is no such bag. Name another.')
    return b'picture' if isinstance(ask, wire.Draw) else {'asked': ask.do}


@asynccontextmanager
async def served(answer=desk):
    async with await Server(ACCESS, answer).start() as listening:
        yield next(iter(listening.sockets)).getsockname()[1]


def page(port, *, token=ACCESS.token, origin=None, host=None, **more):
    host = host or f'127.0.0.1:{port}'
    return connect(f'ws://{host}/socket?token={token}', origin=origin or f'http://{host}', host='127.0.0.1', port=port, **more)


async def got(port, path, *lines, method='GET'):
    """Return the head and the body of a plain request."""
    reader, writer = await asyncio.open_connection('127.0.0.1', port)
    head = [f'{method} {path} HTTP/1.1', *(lines or [f'Host: 127.0.0.1:{port}']), '', '']
    writer.write('\r\n'.join(head).encode())
    answer = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    found, _, body = answer.partition(b'\r\n\r\n')
    return found.decode(), body


def test_the_page_and_its_parts_come_with_a_strict_policy():
    async def run():
        async with served() as port:
            for path, kind in (
                ('/', 'text/html'),
                ('/main.js', 'text/javascript'),
                ('/style.css', 'text/css'),
                ('/icon.svg', 'image/svg+xml'),
            ):
                head, body = await got(port, path)
                assert head.startswith('HTTP/1.1 200') and f'Content-Type: {kind}' in head and body
                assert f"script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self' ws://127.0.0.1:{port};" in head
                assert "default-src 'none'" in head and 'unsafe' not in head and "frame-ancestors 'none'" in head
                assert 'X-Content-Type-Options: nosniff' in head and ACCESS.token not in head + body.decode()

    asyncio.run(run())


@pytest.mark.parametrize(
    'path', ['/secret', '/../access.py', '/%2e%2e/server.py', '//etc/passwd', '/static/main.js', '/main.js/', '/index.html%00']
)
def test_nothing_else_is_served(path):
    async def run():
        async with served() as port:
            assert (await got(port, path))[0].startswith('HTTP/1.1 404')

    asyncio.run(run())


@pytest.mark.parametrize(
    'lines',
    [['Host: localhost?; script-src *'], ['Host: evil.com'], ['Host: evil.com:80'], ['X: y'], ['Host: localhost', 'Host: evil.com']],
)
def test_another_host_gets_nothing_at_all(lines):
    async def run():
        async with served() as port:
            for path in ('/', '/socket?token=' + ACCESS.token):
                assert (await got(port, path, *lines))[0].startswith('HTTP/1.1 403')

    asyncio.run(run())


@pytest.mark.parametrize(
    ('changed', 'why'),
    [
        ({'token': 'wrong'}, 'token is wrong'),
        ({'token': ''}, 'token is wrong'),
        ({'token': f'{ACCESS.token}&token=x'}, 'token is wrong'),
        ({'origin': 'http://evil.com'}, 'Only the page'),
        ({'origin': 'null'}, 'Only the page'),
        ({'origin': 'http://['}, 'Only the page'),
        ({'host': 'evil.com'}, 'not the address'),
    ],
)
def test_a_socket_is_opened_by_its_own_page_with_its_token_alone(changed, why):
    async def run():
        async with served() as port:
            with pytest.raises(InvalidStatus) as refused:
                async with page(port, **changed):
                    pass
            assert refused.value.response.status_code == 403 and why in refused.value.response.body.decode()

    asyncio.run(run())


def test_an_address_of_a_role_may_ask_what_the_role_needs_and_no_more():
    asked = {
        'watch': [{'do': 'watch'}, {'do': 'see'}, {'do': 'hello'}],
        'drive': [{'do': 'begin', 'task': 'a/b'}, {'do': 'halt'}, {'do': 'take'}, {'do': 'grasp', 'closed': True}, {'do': 'discard'}],
        'judge': [{'do': 'answer', 'question': '1', 'said': 'no'}, {'do': 'prove', 'code': 'x'}, {'do': 'show'}],
    }

    async def allowed(port, token):
        async with page(port, token=token) as socket:
            answers = []
            for each in (ask for asks in asked.values() for ask in asks):
                await socket.send(json.dumps({'id': 1, **each}))
                answers.append(json.loads(await socket.recv()))
            assert all('ok' in answer or 'The address of this page' in answer['error'] for answer in answers)
            return ['ok' in answer for answer in answers]

    async def run():
        async with served() as port:
            of = {role: [role] * len(asks) for role, asks in asked.items()}
            order = [role for roles in of.values() for role in roles]
            assert all(await allowed(port, ACCESS.token))
            for role in asked:
                assert await allowed(port, ACCESS.token_of(role)) == [one in ('watch', role) for one in order]

    asyncio.run(run())


def test_a_tunnel_from_another_port_is_its_own_page():
    async def run():
        async with served() as port, page(port, host='localhost:9000', origin='http://localhost:9000') as socket:
            await socket.send(json.dumps({'id': 1, 'do': 'hello'}))
            assert json.loads(await socket.recv()) == {'id': 1, 'ok': {'asked': 'hello'}}

    asyncio.run(run())


def test_the_desk_knows_which_page_asks_and_when_it_is_closed():
    asked, left = [], []

    async def known(ask, asking):
        if asking not in asked:
            asked.append(asking)
            asking.farewells.append(lambda: left.append(asking))
        return {'page': asked.index(asking)}

    async def run():
        async with served(known) as port:
            async with page(port) as one, page(port) as other:
                for socket, number in ((one, 0), (other, 1), (one, 0)):
                    await socket.send('{"id": 1, "do": "hello"}')
                    assert json.loads(await socket.recv())['ok'] == {'page': number}
                await one.close()
                for _ in range(200):
                    if left:
                        break
                    await asyncio.sleep(0.01)
                assert left == [asked[0]]
            asked[1].leave()
        assert left == asked, 'each page leaves once'

    asyncio.run(run())


def test_questions_are_answered_by_their_numbers_and_errors_are_sentences():
    async def run():
        async with served() as port, page(port) as socket:
            drawn = {'id': 7, 'do': 'draw', 'episode': 0, 'seq': 0, 'width': 64, 'height': 48}
            for message in (drawn, {'id': 8, 'do': 'open', 'episode': 1}, {'id': 9, 'do': 'dance'}, {'id': 10, 'do': 'hello'}):
                await socket.send(json.dumps(message))
            await socket.send('nonsense')
            answers = [await socket.recv() for _ in range(5)]
            assert [answer for answer in answers if isinstance(answer, bytes)] == [b'\x07\x00\x00\x00picture']
            told = {one['id']: one for answer in answers if isinstance(answer, str) for one in [json.loads(answer)]}
            assert sorted(told) == [0, 8, 9, 10] and 'error' in told[0]
            assert told[8] == {'id': 8, 'error': 'There is no such bag. Name another.'} and 'not known' in told[9]['error']

    asyncio.run(run())


def test_what_nobody_thought_of_is_answered_too_and_printed_where_the_window_was_started(capsys):
    async def broken(ask, _):
        return {} if ask.do == 'hello' else {'never': 1 / (ask.episode - ask.episode)}

    async def run():
        async with served(broken) as port, page(port) as socket:
            await socket.send(json.dumps({'id': 1, 'do': 'open', 'episode': 0}))
            assert 'could not be shown' in json.loads(await asyncio.wait_for(socket.recv(), 10))['error']
            await socket.send(json.dumps({'id': 2, 'do': 'hello'}))
            assert json.loads(await asyncio.wait_for(socket.recv(), 10)) == {'id': 2, 'ok': {}}

    asyncio.run(run())
    assert 'ZeroDivisionError' in capsys.readouterr().err


def test_a_question_that_waits_for_news_holds_up_no_other():
    async def slow(ask, _):
        await asyncio.sleep(30 if ask.do == 'watch' else 0)
        return {}

    async def run():
        async with served(slow) as port, page(port) as socket:
            await socket.send(json.dumps({'id': 1, 'do': 'watch'}))
            await socket.send(json.dumps({'id': 2, 'do': 'hello'}))
            assert json.loads(await asyncio.wait_for(socket.recv(), 10))['id'] == 2

    asyncio.run(run())


def test_a_message_that_is_too_large_ends_its_page_alone():
    async def run():
        async with served() as port, page(port) as other:
            async with page(port) as socket:
                await socket.send('x' * (wire.MOST_BYTES + 1))
                with pytest.raises(ConnectionClosed):
                    await socket.recv()
            await other.send(json.dumps({'id': 1, 'do': 'hello'}))
            assert await other.recv()

    asyncio.run(run())


def test_a_page_that_reads_no_answers_is_asked_nothing_more():
    """Its answers wait in its own connection, which holds few of them, and the desk works for the others."""
    asked = []

    async def large(ask, _):
        asked.append(ask.id)
        return bytes(1 << 20)

    async def run():
        async with served(large) as port:
            reader, writer = await asyncio.open_connection('127.0.0.1', port, limit=1024)
            key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
            lines = [f'Host: 127.0.0.1:{port}', f'Origin: http://127.0.0.1:{port}', 'Upgrade: websocket', 'Connection: Upgrade', key]
            head = [f'GET /socket?token={ACCESS.token} HTTP/1.1', *lines, 'Sec-WebSocket-Version: 13', '', '']
            writer.write('\r\n'.join(head).encode())
            await reader.readuntil(b'\r\n\r\n')
            for number in range(200):
                message = json.dumps({'id': number, 'do': 'hello'}).encode()
                writer.write(bytes([0x81, 0x80 | len(message), 0, 0, 0, 0]) + message)
            async with page(port, max_size=None) as other:
                await other.send(json.dumps({'id': 999, 'do': 'hello'}))
                assert len(await asyncio.wait_for(other.recv(), 10)) > 1 << 20
            assert len(asked) < 60
            writer.close()
            await asyncio.sleep(0.2)
        assert 999 in asked and len(asked) < 60

    asyncio.run(run())


def test_only_so_many_pages_are_open_at_once(monkeypatch):
    monkeypatch.setattr(serving, 'MOST_PAGES', 2)

    async def run():
        watch = ACCESS.token_of('watch')
        async with served() as port, page(port, token=watch), page(port, token=watch):
            with pytest.raises(InvalidStatus) as refused:
                async with page(port, token=watch):
                    pass
            assert refused.value.response.status_code == 503
            async with page(port):  # guests lock nobody out
                pass

    asyncio.run(run())


def test_where_somebody_else_listens_it_is_said():
    async def run():
        async with served() as port:
            with pytest.raises(ConfigError, match=f'cannot listen on 127.0.0.1:{port}'):
                await Server(Access(port=port), desk).start()

    asyncio.run(run())


def test_with_a_certificate_it_listens_elsewhere_and_connections_are_encrypted(tmp_path):
    certificate, key = tmp_path / 'certificate.pem', tmp_path / 'key.pem'
    words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=arm.lab', '-addext', 'subjectAltName=DNS:arm.lab']
    subprocess.run(['openssl', *words, '-keyout', key, '-out', certificate], check=True, capture_output=True)
    access = Access('0.0.0.0', name='arm.lab', secure=True)
    trusted = create_default_context(cafile=certificate)

    async def run():
        async with await Server(access, desk, tls=encryption(str(certificate), str(key))).start() as listening:
            port = next(iter(listening.sockets)).getsockname()[1]
            address = f'wss://arm.lab:{port}/socket?token={access.token}'
            async with connect(address, origin=f'https://arm.lab:{port}', host='127.0.0.1', port=port, ssl=trusted) as socket:
                await socket.send(json.dumps({'id': 1, 'do': 'hello'}))
                assert json.loads(await socket.recv()) == {'id': 1, 'ok': {'asked': 'hello'}}
            with pytest.raises(InvalidStatus):
                async with connect(address, origin=f'http://arm.lab:{port}', host='127.0.0.1', port=port, ssl=trusted):
                    pass

    asyncio.run(run())


def test_encryption_and_a_certificate_belong_together():
    with pytest.raises(ConfigError, match='needs a certificate'):
        Server(Access(secure=True), desk)
