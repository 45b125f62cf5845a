"""The records of a whole response that the compiled part makes are those that Python would have made."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.unit.archive.exchanges import NOON, capture, ids

from recrawl.archive.member import members
from recrawl.archive.open_file import OpenFile
from recrawl.archive.settings import ArchiveSettings
from recrawl.archive.tray import Tray
from recrawl.archive.warc import exchange
from recrawl.model.capture import Capture, Place
from recrawl.model.failure import Failure
from recrawl.model.swift import replace
from recrawl.model.visit import Times

pytestmark = pytest.mark.compiled

USUAL = replace(
    capture("http://example.com/a?b=1", body=b"<p>some words</p>" * 99, coding="gzip"),
    facts=(("why", "first"), ("verdict", "new"), ("reason", "first seen")),
)
SETTINGS = (
    ArchiveSettings(),
    ArchiveSettings(requests=False),
    ArchiveSettings(metadata=False),
    ArchiveSettings(requests=False, metadata=False),
    ArchiveSettings(secrets=frozenset({"user-agent"})),
)


def answer(of: Capture, **changes: Any) -> Capture:
    return replace(of, reply=replace(of.reply, **changes))


def light(of: Capture) -> Capture:
    return answer(of, body=b"", let_go_bytes=len(of.reply.body))


def sent(of: Capture, block_bytes: int) -> Capture:
    """Of so many bytes, head and end included."""
    return light(answer(of, sent_body=Random(1).randbytes(block_bytes - len(of.reply.raw_head) - 4)))


def headed(of: Capture, *lines: str) -> Capture:
    pairs = [line.partition(": ") for line in ("Content-Encoding: gzip", *lines)]
    head = "".join(["HTTP/1.1 200 OK\r\n", *(f"{name}: {value}\r\n" for name, _, value in pairs), "\r\n"])
    headers = tuple((name.strip().lower(), value) for name, _, value in pairs)
    return answer(of, raw_head=head.encode("latin-1"), headers=headers)


LENGTH = len(USUAL.reply.sent_body)
PLAIN: Sequence[Capture] = (
    USUAL,
    light(USUAL),
    *(sent(USUAL, size) for size in (600, 65_534, 65_535, 65_536, 131_070, 131_071, 200_000)),
    answer(USUAL, times=Times(total_s=0.01234), received_bytes=4321, detail="a word or two"),
    answer(USUAL, peer=""),
    answer(USUAL, peer="[2001:db8::1]:80"),
    replace(USUAL, facts=()),
    headed(USUAL),
    headed(USUAL, f"Content-Length: {LENGTH}", "content-TYPE:   text/plain;x=y"),
    headed(USUAL, "X-Content-Type: image/png", "Content-Type: ;", "Content-Type: text/html"),
    headed(USUAL, "Content-Type : text/css"),
    headed(USUAL, "X-Note: caf\xe9"),
    capture("http://example.com/" + "a" * 1900, body=b"x" * 500, coding="gzip"),
)
ODD: Sequence[Capture] = (
    capture("http://example.com/"),
    capture("http://example.com/", body=b"<p>words</p>" * 50, coding="deflate"),
    capture("http://example.com/", body=b"<p>words</p>" * 50, coding="br"),
    capture("http://example.com/", NOON // 1, body=b"<p>words</p>" * 50, coding="gzip"),
    capture("http://example.com/caf\xe9", body=b"<p>words</p>" * 50, coding="gzip"),
    capture('http://example.com/"', body=b"<p>words</p>" * 50, coding="gzip"),
    capture("http://example.com/" + "a" * 9000, body=b"x" * 500, coding="gzip"),
    answer(USUAL, failure=Failure.UNDECODABLE),
    answer(USUAL, status=0),
    answer(USUAL, sent_body=USUAL.reply.sent_body * 2, body=USUAL.reply.body * 2),
    answer(USUAL, raw_head=b"HTTP/2 200\r\n\r\n"),
    answer(USUAL, raw_head=USUAL.reply.raw_head.replace(b"Content", b" Content")),
    answer(USUAL, detail="two  blanks"),
    answer(USUAL, detail="x" * 3000),
    answer(USUAL, raw_request=b"GET / HTTP/1.1\r\nX: " + b"y" * 9000 + b"\r\n\r\n"),
    answer(USUAL, raw_request=b"GET / HTTP/1.1\r\nX: caf\xe9\r\n\r\n"),
    answer(USUAL, raw_request=b""),
    headed(USUAL, f"Content-Length: {LENGTH + 1}"),
    headed(USUAL, f"Content-Length: {LENGTH}", f"Content-Length: {LENGTH}"),
    headed(USUAL, "Content-Encoding: br"),
    headed(USUAL, "Transfer-Encoding: chunked"),
    headed(USUAL, 'Content-Type: text/"html"'),
    replace(USUAL, digest=""),
    replace(USUAL, digest="sha256:" + "A" * 64),
    replace(USUAL, facts=(("n\xe4me", "x"),)),
    replace(USUAL, facts=(("a name", "x"),)),
)


class Trays:
    """Two into the same place of a file, by the compiled part and by Python."""

    def __init__(self, folder: Path, settings: ArchiveSettings) -> None:
        file = OpenFile.begin(folder, "recrawl-w0-20231114221320-000", sync=False)
        assert file is not None
        file.size = 12_345
        self.file, self.settings = file, settings
        self.compiled, self.plain = (Tray(file, settings.compress_level) for _ in range(2))

    def lay(self, one: Capture) -> tuple[Place | None, Place]:
        by_compiled = self.compiled.add_plainly(one, self.settings, ids())
        return by_compiled, self.plain.add(exchange(one, None, self.settings, ids()), one.at)


def says(tray: Tray) -> tuple[object, ...]:
    return tray.data, tray.lines, tray.originals, tray.originals_from, tray.end


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("number", range(len(PLAIN)))
def test_plain_ones_are_laid_alike(tmp_path: Path, settings: ArchiveSettings, number: int) -> None:
    trays, one = Trays(tmp_path, settings), PLAIN[number]
    for again in range(2):
        by_compiled, by_python = trays.lay(replace(one, at=one.at + again))
        assert by_compiled == by_python
    assert says(trays.compiled) == says(trays.plain)
    assert trays.compiled.lines_of(one.url) == trays.plain.lines_of(one.url) != []


@pytest.mark.parametrize("number", range(len(ODD)))
def test_odd_ones_are_left_to_python_or_laid_alike(tmp_path: Path, number: int) -> None:
    trays = Trays(tmp_path, ArchiveSettings())
    by_compiled, by_python = trays.lay(ODD[number])
    assert by_compiled in (None, by_python)
    assert says(trays.compiled) == says(trays.plain if by_compiled else Tray(trays.file, 1))


def test_they_are_left_to_python_where_the_fewest_bytes_are_wanted(tmp_path: Path) -> None:
    trays = Trays(tmp_path, ArchiveSettings(compress_level=3))
    assert trays.lay(USUAL)[0] is None


def test_a_block_of_any_length_is_a_whole_member(tmp_path: Path) -> None:
    trays = Trays(tmp_path, ArchiveSettings())
    for size in (65_535, 65_536, 400_000):
        trays.lay(sent(USUAL, size))
    path = tmp_path / "members"
    path.write_bytes(trays.compiled.data)
    with path.open("rb") as file:
        assert len(list(members(file, 0))) == 9
