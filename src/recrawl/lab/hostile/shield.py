"""TLS as a stranger speaks it: every byte of it passes through our hands, so it can be cut, delayed and mixed."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from OpenSSL import SSL

from recrawl.lab.hostile.certificates import Notary, Papers
from recrawl.lab.hostile.wire import HEAD_BYTES, Gone, Question, Wire
from recrawl.model.values import dataclass

HTTP_1, HTTP_2 = b"http/1.1", b"h2"
PIECE_BYTES, MOST_IN_A_RECORD = 65_536, 16_384
NAMED_UNDER, NAMED_AT = "localhost", "127.0.0.1"  # names under it are loopback without asking anybody

Flight = Callable[[bytes, Wire], Awaitable[None]]  # what the server says in a handshake, and where it goes


async def as_it_is(flight: bytes, wire: Wire) -> None:
    await wire.send(flight)


@dataclass(frozen=True, slots=True)
class Shield:
    """How a server speaks TLS. `name`: what it is called, below `localhost`; its address where there is none.
    `certified`: the name in its papers, where that is another one."""

    papers: Papers = Papers.GOOD
    protocols: tuple[bytes, ...] = (HTTP_1,)
    name: str = ""
    certified: str = ""
    newest: int = SSL.TLS1_3_VERSION
    insists: bool = False  # on its first protocol, offered or not
    asks_back: bool = False  # for the client's own certificate
    flight: Flight = as_it_is

    @property
    def host(self) -> str:
        return f"{self.name}.{NAMED_UNDER}" if self.name else ""

    def context(self, notary: Notary, host: str) -> SSL.Context:
        made = SSL.Context(SSL.TLS_SERVER_METHOD)
        made.set_min_proto_version(SSL.TLS1_VERSION)
        made.set_max_proto_version(self.newest)
        made.set_cipher_list(b"ALL:@SECLEVEL=0")
        notary.pair(self.papers, self.certified or host).put_into(made)
        made.set_alpn_select_callback(self._choose)
        if self.asks_back:
            made.set_verify(SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT)
        return made

    def _choose(self, connection: SSL.Connection, offered: list[bytes]) -> Any:
        common = [one for one in self.protocols if one in offered or self.insists]
        if not common and HTTP_1 not in self.protocols:
            raise Gone  # and an alert
        return common[0] if common else SSL.NO_OVERLAPPING_PROTOCOLS


NOBODY = Shield(Papers.OTHER_NAME)


class SecureWire(Wire):
    """The same over TLS. `hang_up` leaves without a goodbye."""

    scheme = "https"

    def __init__(self, plain: Wire, context: SSL.Context, flight: Flight) -> None:
        super().__init__(asyncio.StreamReader(limit=HEAD_BYTES), plain._writer)
        self._under, self._flight = plain, flight
        self.tls = SSL.Connection(context, None)
        self.tls.set_accept_state()

    @property
    def here(self) -> tuple[str, int]:
        host, port = self._under.here
        called = self.tls.get_servername()
        return called.decode("ascii", "replace") if called else host, port

    @property
    def protocol(self) -> bytes:
        return self.tls.get_alpn_proto_negotiated()

    async def shake_hands(self, question: Question, plain: Wire) -> None:
        while True:
            try:
                self.tls.do_handshake()
            except SSL.WantReadError:
                await self._fly()
                await self._feed()
            except (SSL.Error, Gone) as error:
                await self._fly()
                raise Gone from error
            else:
                await self._fly()
                return

    async def pump(self) -> None:
        """What comes in, until nothing comes any more."""
        with contextlib.suppress(Gone, SSL.Error, OSError):
            while True:
                try:
                    self._reader.feed_data(self.tls.recv(PIECE_BYTES))
                except SSL.WantReadError:
                    await self._flush()
                    await self._feed()
        self._reader.feed_eof()

    async def send(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[self.tls.send(view[:MOST_IN_A_RECORD]) :]
                await self._flush()
        except SSL.Error as error:
            raise Gone from error
        self.sent_bytes += len(data)

    async def goodbye(self) -> None:
        with contextlib.suppress(SSL.Error):
            self.tls.shutdown()
        await self._flush()

    async def bare(self, data: bytes) -> None:
        """Bytes beside the TLS."""
        await self._under.send(data)

    async def alert(self) -> None:
        """A fatal alert as OpenSSL itself sends it: to a record that it cannot read."""
        self.tls.bio_write(b"\x17\x03\x03\x00\x20" + bytes(32))
        with contextlib.suppress(SSL.Error):
            self.tls.recv(1)
        await self._flush()

    async def renegotiate(self) -> None:
        """Ask for another handshake, as TLS 1.2 allows, and wait for it."""
        before = self.tls.total_renegotiations()
        self.tls.renegotiate()
        self.tls.do_handshake()
        while self.tls.total_renegotiations() == before or self.tls.renegotiate_pending():
            await self._flush()
            await asyncio.sleep(0.001)
        await self._flush()

    async def _feed(self) -> None:
        taken = await self._under.some()
        if not taken:
            raise Gone
        self.tls.bio_write(taken)

    async def _fly(self) -> None:
        if said := self._said():
            await self._flight(said, self._under)

    async def _flush(self) -> None:
        if said := self._said():
            await self._under.send(said)

    def _said(self) -> bytes:
        pieces = []
        with contextlib.suppress(SSL.WantReadError):
            while True:
                pieces.append(self.tls.bio_read(PIECE_BYTES))
        return b"".join(pieces)


class Gate:
    """Which shield stands where. All that have a name stand at one address: who does not say the name he wants is shown
    papers for another."""

    def __init__(self, shields: Mapping[str, Shield], notary: Notary) -> None:
        self._shields, self._notary = shields, notary
        self._contexts: dict[str, SSL.Context] = {}

    def stands_at(self, address: str) -> bool:
        return address in self._shields or address == NAMED_AT

    def wire(self, plain: Wire) -> SecureWire:
        address = plain.here[0]
        shield = self._shields.get(address, NOBODY)
        return SecureWire(plain, self._context(address, shield), shield.flight)

    def _context(self, host: str, shield: Shield) -> SSL.Context:
        if host not in self._contexts:
            self._contexts[host] = made = shield.context(self._notary, host)
            if host == NAMED_AT:
                made.set_tlsext_servername_callback(self._called)
        return self._contexts[host]

    def _called(self, connection: SSL.Connection) -> None:
        name = (connection.get_servername() or b"").decode("ascii", "replace")
        if name in self._shields:
            connection.set_context(self._context(name, self._shields[name]))
