"""HTTP/1 as it comes: which bytes are lines of heads, which are body, and where the answer ends.

Bytes go in as they come, lines and pieces of the body go out to two takers as soon as they are whole, in the order in
which they stand there. It is as lenient as browsers are where that is harmless (a line that ends without a return, a
folded field, a body that ends with the connection) and stops where two readers could disagree on where the answer ends.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from recrawl.fetch.exchange import BROKEN_OFF, LONG_HEAD, PAUSE
from recrawl.fetch.head import FOLDS
from recrawl.model.failure import Failure

Taker = Callable[[bytes], int | None]  # None: go on; PAUSE: the same again later; else: no more of it

STATUS_LINE = re.compile(rb"HTTP/1\.([01])[ \t](\d{3})", re.IGNORECASE)
BEGINNING = b"HTTP/1."
EMPTY = (b"\r\n", b"\n")
SWITCHES = 101
BODILESS = (204, 304)
DIGITS = re.compile(r"\d+", re.ASCII)
MOST_DIGITS = 18
CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")
MOST_CHUNK_LINE_BYTES = 4096
CHUNKED = {"chunked"}
HEX_DIGITS = b"0123456789ABCDEFabcdef"
NO_LENGTH = "there is a chunk without a length"
NO_COLON = "there is a line without a colon in the head of the answer"
NO_HTTP_1 = "the server answers in no HTTP/1"


class Incoming:
    """One answer. `wrong`: what is wrong with it; `is_kept`: another may follow over the same connection."""

    __slots__ = (
        "_buffer", "_codings", "_field", "_has_begun", "_is_last", "_left", "_length", "_most_body_bytes",
        "_most_head_bytes", "_on_body", "_on_line", "_sought", "_status", "_step", "is_kept", "is_over", "is_paused",
        "wrong",
    )  # fmt: skip

    def __init__(self, on_line: Taker, on_body: Taker, most_head_bytes: int, most_body_bytes: int) -> None:
        """`most_body_bytes`: what the server may announce."""
        self._on_line, self._on_body = on_line, on_body
        self._most_head_bytes, self._most_body_bytes = most_head_bytes, most_body_bytes
        self._buffer, self._sought = bytearray(), 0  # up to where there is no end of a line
        self._has_begun, self._field = False, b""  # the head, and of it what may go on in the next line
        self._length: int | None = None  # of the body, and how its transfer is coded; None: nobody said
        self._codings: set[str] | None = None
        self._status = self._left = 0
        self._step = self._read_head
        self.is_kept = self.is_over = self.is_paused = False
        self.wrong: tuple[Failure, str] | None = None

    def feed(self, data: bytes) -> None:
        self._buffer += data
        self.go_on()

    def go_on(self) -> None:
        """Hand on what there is."""
        self.is_paused = False
        while not self.is_over and not self.is_paused and self._step():
            pass

    def ended(self) -> None:
        """The connection did."""
        if self.is_over:
            return
        if self._step == self._read_to_the_end:
            self._done(False)
        elif self._step == self._read_head:
            self._fail(Failure.RESET, BROKEN_OFF)
        elif self._step == self._read_length:
            self._fail(Failure.TRUNCATED, f"the connection ended, and {self._left} bytes are missing")
        else:
            self._fail(Failure.TRUNCATED, BROKEN_OFF)

    def _fail(self, failure: Failure, detail: str) -> bool:
        self.is_over, self.is_kept, self.wrong = True, False, (failure, detail)
        return False

    def _done(self, is_kept: bool) -> bool:
        """With bytes behind it nobody knows what the next answer is."""
        self.is_over, self.is_kept = True, is_kept and not self._buffer
        return False

    # heads

    def _line(self, most_bytes: int) -> bytes | None:
        """The next one, if it is whole."""
        buffer = self._buffer
        end = buffer.find(b"\n", self._sought) + 1
        if not end:
            self._sought = len(buffer)
            if len(buffer) > most_bytes:
                self._fail(Failure.HEADERS_TOO_LARGE, LONG_HEAD)
            return None
        line, self._sought = bytes(buffer[:end]), 0
        del buffer[:end]
        return line

    def _read_head(self) -> bool:
        if not self._has_begun and not BEGINNING.startswith(self._buffer[: len(BEGINNING)].upper()):
            return self._fail(Failure.PROTOCOL, NO_HTTP_1)
        line = self._line(self._most_head_bytes)
        if line is None:
            return False
        if self._has_begun and not self._heeds_before(line):
            return False
        if self._on_line(line) is not None:
            return self._fail(Failure.HEADERS_TOO_LARGE, LONG_HEAD)
        if not self._has_begun:
            return self._begin_head(line)
        return line not in EMPTY or self._end_head()

    def _begin_head(self, line: bytes) -> bool:
        found = STATUS_LINE.match(line)
        if found is None:
            return self._fail(Failure.PROTOCOL, NO_HTTP_1)
        self._has_begun, self._status, self.is_kept = True, int(found[2]), found[1] == b"1"
        self._field, self._length, self._codings, self._is_last = b"", None, None, False
        return True

    def _heeds_before(self, line: bytes) -> bool:
        """A field is whole when another line begins that does not go on with it."""
        if self._field and line.startswith(FOLDS):
            self._field = self._field.rstrip(b"\r\n") + line
            return True
        if self._field and not self._heed(self._field):
            return False
        self._field = b"" if line in EMPTY else line
        return True

    def _heed(self, field: bytes) -> bool:
        """What it says of where the answer ends. A blank before the colon makes it another field."""
        name, colon, value = field.rstrip(b"\r\n").partition(b":")
        if not colon:
            return self._fail(Failure.PROTOCOL, NO_COLON)
        if any(odd in value or odd in name for odd in (b"\0", b"\r")):
            return self._fail(Failure.PROTOCOL, "there is a control character in the head of the answer")
        say = SAYINGS.get(name.lower())
        return say is None or say(self, tokens(value))

    def _say_length(self, lengths: list[str]) -> bool:
        if self._status in BODILESS or self._codings == set():
            return True
        for length in lengths or [""]:
            if not DIGITS.fullmatch(length) or self._length not in (None, int(length[:MOST_DIGITS])):
                return self._fail(Failure.PROTOCOL, f"the length of the body is said to be {', '.join(lengths)[:80]}")
            self._length = int(length[:MOST_DIGITS])
        if self._length is not None and self._length > self._most_body_bytes:
            return self._fail(Failure.BODY_TOO_LARGE, f"the body is longer than {self._most_body_bytes} bytes")
        return True

    def _say_coding(self, codings: list[str]) -> bool:
        self._codings = {*(self._codings or ()), *codings} - {"identity"}
        if self._status in BODILESS or self._codings <= CHUNKED:
            return True
        return self._fail(Failure.UNDECODABLE, f"the transfer is coded as {', '.join(codings)[:80]}")

    def _say_connection(self, words: list[str]) -> bool:
        self._is_last = self._is_last or "close" in words
        self.is_kept = not self._is_last and (self.is_kept or "keep-alive" in words)
        return True

    def _end_head(self) -> bool:
        """Where the body ends. If it is said twice, the chunks say it."""
        self._has_begun, status = False, self._status
        if status == SWITCHES:
            return self._fail(Failure.PROTOCOL, "the server switches to a protocol that nobody asked for")
        if status < 200:
            return True
        if status in BODILESS:
            return self._done(self.is_kept)
        if self._codings == CHUNKED:
            self._step = self._read_chunk_size
        elif self._length is None or self._codings is not None:
            self.is_kept, self._step = False, self._read_to_the_end
        else:
            self._left, self._step = self._length, self._read_length
        return True

    # bodies

    def _read_length(self) -> bool:
        return self._hand_on() and self._done(self.is_kept)

    def _read_to_the_end(self) -> bool:
        self._left = len(self._buffer)
        self._hand_on()
        return False

    def _hand_on(self) -> bool:
        """What there is of the bytes that are left of this body, or chunk; whether it was all."""
        if self._left and self._buffer:
            piece = bytes(self._buffer[: self._left])
            answer = self._on_body(piece)
            if answer == PAUSE:
                self.is_paused = True
                return False
            del self._buffer[: len(piece)]
            self._left -= len(piece)
            if answer is not None:
                return self._done(False)
        return not self._left

    def _read_chunk_size(self) -> bool:
        if self._buffer and self._buffer[0] not in HEX_DIGITS:
            return self._fail(Failure.PROTOCOL, NO_LENGTH)
        line = self._line(MOST_CHUNK_LINE_BYTES)
        if line is None:
            return False
        found = CHUNK_SIZE.fullmatch(line)
        if found is None:
            return self._fail(Failure.PROTOCOL, NO_LENGTH)
        self._left = int(found[1], 16)
        self._step = self._read_chunk if self._left else self._read_trailers
        return True

    def _read_chunk(self) -> bool:
        if not self._hand_on():
            return False
        self._step = self._read_end_of_chunk
        return True

    def _read_end_of_chunk(self) -> bool:
        line = self._line(1)
        if line is None:
            if self.is_over or bytes(self._buffer) not in (b"", b"\r"):
                self._fail(Failure.PROTOCOL, "there is a chunk longer than it was said to be")
            return False
        if line not in EMPTY:
            return self._fail(Failure.PROTOCOL, "there is a chunk longer than it was said to be")
        self._step = self._read_chunk_size
        return True

    def _read_trailers(self) -> bool:
        line = self._line(self._most_head_bytes)
        if line is None:
            return False
        if line in EMPTY:
            return self._done(self.is_kept)
        if b":" not in line:
            return self._fail(Failure.PROTOCOL, NO_COLON)
        if self._on_line(line) is not None:
            return self._fail(Failure.HEADERS_TOO_LARGE, LONG_HEAD)
        return True


def is_kept_after(head: Sequence[bytes]) -> bool:
    """Whether another answer may follow over the connection on which one with this head came whole."""
    incoming = Incoming(lambda _: None, lambda _: None, sum(map(len, head)), 1 << 62)
    for line in head:
        incoming.feed(line)
    return incoming.is_kept


def tokens(value: bytes) -> list[str]:
    """What a field lists, lower-cased."""
    said = (token.strip(" \t").lower() for token in value.decode("latin-1").split(","))
    return [token for token in said if token]


SAYINGS: Mapping[bytes, Callable[[Incoming, list[str]], bool]] = {
    b"content-length": Incoming._say_length,
    b"transfer-encoding": Incoming._say_coding,
    b"connection": Incoming._say_connection,
}
