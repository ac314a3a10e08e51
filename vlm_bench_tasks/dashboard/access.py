"""Who may use the window, and for what: a secret in the address, and requests from its own page alone."""

import hmac
import re
import socket
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from errno import EADDRINUSE
from ipaddress import ip_address
from secrets import compare_digest, token_urlsafe
from ssl import PROTOCOL_TLS_SERVER, SSLContext, SSLError
from typing import Literal, get_args

from vlm_bench_sim.core.errors import ConfigError, quoted

LOOPBACK = '127.0.0.1'
EVERYWHERE = ('', '0.0.0.0', '::')
USUAL_PORT, LAST_PORT = 8100, 65_535
_NAME = re.compile(r'[A-Za-z0-9.-]{1,253}')
_HOST = re.compile(r'(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?')  # a Host header
_TOKEN_BYTES = 24

Role = Literal['all', 'watch', 'drive', 'judge']
"""What the pages of an address may do. Everybody may watch; `all`: everything."""

ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True)
class Access:
    """Where the window is served, and to whom.

    Attributes:
        host: address to listen on.
        port: to listen on; 0: any that is free.
        name: host name by which pages may ask for it, beside those of this machine; '': none.
        secure: whether connections are encrypted (TLS).
        token: the secret of the address whose pages may do everything; those of other roles follow from it, and not the other way round.
    """

    host: str = LOOPBACK
    port: int = 0
    name: str = ''
    secure: bool = False
    token: str = field(default_factory=lambda: token_urlsafe(_TOKEN_BYTES), repr=False)

    def __post_init__(self) -> None:
        if not 0 <= self.port <= LAST_PORT:
            raise ConfigError(f'A port is a number from 0 to {LAST_PORT}; found {self.port}.')
        if self.name and not _NAME.fullmatch(self.name):
            raise ConfigError(f'A host name has letters, digits, - and dots, without port or path; found {quoted(self.name)}.')
        if not self.secure and not _is_loopback(self.host):
            raise ConfigError(
                f'The window would be open to the network on {self.host} without encryption. Leave --host out and use a tunnel '
                '(ssh -L), or name a certificate: --certificate FILE --key FILE.'
            )

        if self.host in EVERYWHERE and not self.name:
            raise ConfigError(f'Pages ask for a name, and {self.host} is none. Name the host: --name arm.lab.')

    def address(self, port: int) -> str:
        """Return what a person opens: the token stands in the fragment, which browsers send to nobody."""
        shown = self.name or (f'[{self.host}]' if ':' in self.host else self.host)
        return f'{"https" if self.secure else "http"}://{shown}:{port}/#{self.token}'

    def knows(self, host: str) -> bool:
        """Return whether a Host header names this server: another name would be a page that rebound its own to this machine.

        The port may be that of a tunnel.
        """
        matched = _HOST.fullmatch(host.lower())
        found = matched[1].strip('[]') if matched else ''
        return found != '' and (found in ('localhost', self.name.lower(), self.host.lower()) or _is_loopback(found))

    def may_ask(self, host: str, origin: str) -> bool:
        """Return whether a page of this origin may open a connection to this host: its own page alone."""
        return self.knows(host) and origin.lower() == f'{"https" if self.secure else "http"}://{host.lower()}'

    def token_of(self, role: Role) -> str:
        """Return the secret of the address of a role."""
        if role == 'all':
            return self.token
        return urlsafe_b64encode(hmac.digest(self.token.encode(), role.encode(), 'sha256')[:_TOKEN_BYTES]).decode()

    def role(self, token: str) -> Role | None:
        """Return the role that a token opens; None if it opens none."""
        return next((role for role in ROLES if compare_digest(token.encode(), self.token_of(role).encode())), None)


def usual_port(host: str) -> int:
    """Return the port of a window that nobody named one for: the usual one, or 0 (any that is free) if another window has it."""
    try:
        with socket.create_server((host, USUAL_PORT), family=socket.AF_INET6 if ':' in host else socket.AF_INET):
            return USUAL_PORT
    except OSError as error:
        return 0 if error.errno == EADDRINUSE else USUAL_PORT


def encryption(certificate: str, key: str) -> SSLContext | None:
    """Return the context of encrypted connections, from PEM files; None if neither is named.

    Raises:
        ConfigError: only one of both is named, or they cannot be used.
    """
    if not certificate and not key:
        return None
    if not certificate or not key:
        raise ConfigError('A certificate and its key belong together. Name both: --certificate FILE --key FILE.')
    context = SSLContext(PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, SSLError) as error:
        raise ConfigError(f'{certificate} and {key} are no certificate with its key: {error}. Name PEM files.') from error
    return context


def _is_loopback(host: str) -> bool:
    if host == 'localhost':
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
