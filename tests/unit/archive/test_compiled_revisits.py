"""What the compiled part finds, writes and sorts for a 304 is what Python would have."""

import gzip
from gzip import GzipFile
from io import BytesIO
from math import inf
from pathlib import Path
from random import Random
from re import sub

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.archive.exchanges import NOON, capture, captured, ids, not_modified, open_archive, reply, warcs

from recrawl.archive import cdxj_index, open_file, tray, warc
from recrawl.archive.cdxj_index import Wanted
from recrawl.archive.member import inflated, members
from recrawl.archive.open_file import in_order
from recrawl.archive.record import digits14, record_id, timestamp14, warc_date
from recrawl.archive.warc import plainly_unchanged, unchanged
from recrawl.formats.cdxj import CdxLine, odd_urlkey, parse_written, thorough_urlkey, urlkey, written
from recrawl.model.capture import Capture, Place
from recrawl.model.swift import replace
from recrawl.native import compiled

pytestmark = pytest.mark.compiled

# ---- keys

HOSTS = (
    "example.org", "www.example.org", "www3.example.org", "www.org", "wwww.org", "a-b.c", "127.0.0.1", "127.1",
    "1.2.3.04", "3d.example", "localhost", "a..b", ".a", "a.", "A.org", "1.2.3.4.5", "1-2.3.4.5", "999.1.1.1",
    "x_y.org", "www.",
)  # fmt: skip
PORTS = ("", ":80", ":443", ":8080", ":0", ":", ":99999", ":123456", ":8a")
PATHS = st.text(st.sampled_from("aB9-_.~/:;,=@&?+!$'*()%#[ é"), max_size=12)
WORDS = (
    "a",
    "A=1",
    "b=",
    "=c",
    "",
    "a=2",
    "a=10",
    "ab",
    "sid=" + "0" * 32,
    "jsessionid=" + "f" * 32,
    "cfid=1",
    "cftoken=2",
)
QUERIES = st.just("") | st.lists(st.sampled_from(WORDS), max_size=6).map(lambda words: "?" + "&".join(words))
ADDRESSES = st.builds(
    "{}://{}{}{}{}{}".format, st.sampled_from(("http", "https", "ftp", "HTTP")), st.sampled_from(HOSTS),
    st.sampled_from(PORTS), st.sampled_from(("", "/", "/", "/")), PATHS, QUERIES,
)  # fmt: skip


@given(ADDRESSES)
def test_keys_of_addresses_are_found_alike_or_left_to_python(url: str) -> None:
    assert compiled.urlkey(url) in (None, thorough_urlkey(url))
    assert urlkey(url) == odd_urlkey(url) == thorough_urlkey(url)


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.example.org/News/?b=1&a=2", "org,example)/news?a=2&b=1"),
        ("https://shop.example.org:8443/", "org,example,shop:8443)/"),
        ("http://127.0.0.1:8000/a/b.html", "1,0,0,127:8000)/a/b.html"),
    ],
)
def test_usual_keys_are_found_by_the_compiled_part(url: str, key: str) -> None:
    assert compiled.urlkey(url) == key
    assert compiled.line_key(url, NOON) == f"{key} {timestamp14(NOON)} ".encode()


def test_arguments_without_end_and_long_addresses_are_left_to_python() -> None:
    assert compiled.urlkey("http://e.org/?" + "&".join(map(str, range(40)))) is None
    assert compiled.urlkey("http://e.org/" + "a" * 5000) is None


# ---- the line that is wanted

URLS = ("http://e.org/a", "http://e.org/b", "http://e.org/A")
DIGESTS = ("A" * 32, "B" * 32)
HASHES = ("0" * 64, "f" * 64, "")
MIMES = ("text/html", "warc/revisit")


def line_of(url: str, second: int, mime: str, digest: str, sha256: str, offset: int, is_odd: bool) -> bytes:
    more = (("sha256", sha256),) if sha256 else ()
    name = "x y\\.warc.gz" if is_odd else "x.warc.gz"
    moment = digits14(warc_date(NOON + second))
    return written(CdxLine(urlkey(url), moment, url, mime, "200", digest, 10, offset, name, more))


LINES = st.builds(
    line_of, st.sampled_from(URLS), st.integers(0, 2), st.sampled_from(MIMES), st.sampled_from(DIGESTS),
    st.sampled_from(HASHES), st.integers(0, 9), st.just(False) | st.booleans(),
)  # fmt: skip
FILES = st.lists(st.lists(LINES, max_size=6), max_size=4)


@given(FILES, st.sampled_from(URLS), st.integers(0, 2), st.sampled_from(HASHES), st.sampled_from(("", *DIGESTS)))
def test_the_line_that_is_wanted_is_found_or_left_to_python(
    files: list[list[bytes]], url: str, second: int, sha256: str, sha1: str
) -> None:
    wanted = Wanted(url, NOON + second, sha256=sha256, sha1=sha1)
    created = [timestamp14(NOON + number) for number in range(len(files))]
    nearest = [*files[: second + 1][::-1], *files[second + 1 :]]
    under = [[line for line in sorted(lines) if line.startswith(wanted.key)] for lines in nearest]
    expected = next((line for lines in under if (line := wanted.choose(lines))), None)
    found = wanted.found_in(created, [b"".join(sorted(lines)) for lines in files])
    assert found == expected or (found is None and any(b"\\\\" in line for lines in under for line in lines))


def test_a_sidecar_that_is_not_at_hand_is_left_to_python() -> None:
    line = line_of(URLS[0], 0, "text/html", DIGESTS[0], "", 1, False)
    wanted = Wanted(URLS[0], NOON)
    assert wanted.found_in(["1", "2"], [line, b""]) == line
    assert wanted.found_in(["1", "2"], [line, None]) is None


# ---- the record

PLAIN = (*URLS, "https://www.e.org/a?b=c", "http://e.org/a b")
ODD = ("http://e.org/é", 'http://e.org/a"b', "http://e.org/" + "l" * 5000)
FIRSTS = st.builds(capture, st.sampled_from(PLAIN + ODD), st.sampled_from((NOON, NOON + 0.123456, 1_700_000_000.0)))


@given(
    FIRSTS, st.sampled_from((60.0, 60.5, -0.25)), st.sampled_from(("HTTP/1.1", "HTTP/2", "HTTP/3", "odd")),
    st.sampled_from(("127.0.0.1", "[::1]:80", "nobody", "")), st.sampled_from(HASHES), st.sampled_from(("", *DIGESTS)),
)  # fmt: skip
def test_the_record_of_a_304_is_written_alike_or_left_to_python(
    first: Capture, later_s: float, protocol: str, peer: str, sha256: str, digest: str
) -> None:
    answer = reply(b"", status=304, url=first.url, status_line=f"{protocol} 304", peer=peer)
    seen = captured(answer, first.url, first.at + later_s, same_as=first)
    more = (("sha256", sha256),) if sha256 else ()
    moment = timestamp14(first.at)
    line = CdxLine(urlkey(first.url), moment, first.url, "text/html", "200", digest, 10, 20, "x.warc.gz", more)
    identity = record_id(ids()())
    plain = plainly_unchanged(seen, written(line), identity, "y.warc.gz", 77)
    assert (plain is not None) == (first.url in PLAIN and bool(seen.at % 1 and first.at % 1))
    if plain is not None:
        member, own_line = plain
        assert gzip.decompress(member) == unchanged(seen, line, warc_date(seen.at), identity)
        assert parse_written(own_line) == CdxLine(
            line.urlkey, timestamp14(seen.at), line.url, "warc/revisit", "", digest, len(member), 77, "y.warc.gz", more
        )
        assert written(parse_written(own_line)) == own_line


def plain_run(captures: list[Capture], lines: list[bytes], **other: object) -> tuple[bytes, bytes, list[Place]]:
    facts = {"before": inf, "sidecars": [b"".join(sorted(lines))], "offset": 50, "limit": 1 << 40} | other
    run: tuple[bytes, bytes, list[Place]] = compiled.unchanged_run(
        captures, 0, ["1"], facts["sidecars"], facts["before"], ids(), "y.warc.gz", facts["offset"], facts["limit"]
    )
    return run


def indexed(first: Capture) -> bytes:
    sha256 = first.digest.removeprefix("sha256:")
    moment = timestamp14(first.at)
    more = (("sha256", sha256),)
    return written(
        CdxLine(urlkey(first.url), moment, first.url, "text/html", "200", "A" * 32, 10, 20, "x.warc.gz", more)
    )


KNOWN = [capture(f"http://e.org/{number}", NOON + number, b"%d" % number) for number in range(9)]
SIDECAR = [indexed(first) for first in KNOWN]
SAME = [not_modified(first, NOON + 100.5 + number) for number, first in enumerate(KNOWN)]


def test_many_304s_are_written_as_one_after_the_other() -> None:
    members, lines, places = plain_run(SAME, SIDECAR)
    new_id, offset = ids(), 50
    for seen, line, place in zip(SAME, SIDECAR, places, strict=True):
        one = plainly_unchanged(seen, line, record_id(new_id()), "y.warc.gz", offset)
        assert one is not None
        assert place == Place("y.warc.gz", offset, len(one[0]))
        assert members[offset - 50 : offset - 50 + place.length] == one[0]
        assert lines.splitlines(keepends=True)[SAME.index(seen)] == one[1]
        offset += place.length
    assert offset - 50 == len(members)


@pytest.mark.parametrize(
    "odd",
    [
        capture(),
        replace(SAME[3], same_as_at=None),
        replace(SAME[3], same_as_at=NOON + 77.5),
        replace(SAME[3], same_as_digest="sha256:" + "0" * 64),
        replace(SAME[3], url="http://e.org/%C3%A9"),
        replace(SAME[3], at=1_700_000_000.0),
        replace(SAME[3], reply=replace(SAME[3].reply, status=200)),
    ],
)
def test_a_run_ends_at_what_is_not_so_plain(odd: Capture) -> None:
    assert len(plain_run([*SAME[:3], odd, *SAME[4:]], SIDECAR)[2]) == 3


def test_a_run_ends_where_the_file_is_full_or_the_original_may_be_elsewhere() -> None:
    assert len(plain_run(SAME, SIDECAR, limit=51)[2]) == 1
    assert plain_run(SAME, SIDECAR, limit=50) == (b"", b"", [])
    assert len(plain_run(SAME, SIDECAR, before=NOON + 4)[2]) == 4
    assert len(plain_run(SAME, SIDECAR, before=NOON + 4.001)[2]) == 5
    assert plain_run(SAME, SIDECAR, sidecars=[None]) == (b"", b"", [])
    assert len(plain_run(SAME, SIDECAR[:5])[2]) == 5


def test_an_identity_that_is_none_is_an_error() -> None:
    for wrong in (lambda: "\xe9", lambda: 5, lambda: "<" + "x" * 20_000, lambda: "<\0>"):
        with pytest.raises(ValueError, match="UUID"):
            compiled.unchanged_run(SAME, 0, ["1"], [b"".join(SIDECAR)], inf, wrong, "y.warc.gz", 0, 1000)


@pytest.mark.parametrize("settings", [{}, {"file_bytes": 2000}, {"compress_level": 3}, {"file_bytes": 1}])
def test_an_archive_is_the_same_without_the_compiled_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, int]
) -> None:
    """Several runs: originals in finished files, in the open one and among those that are just written."""
    addresses = [f"http://e.org/{number % 7}?x={number}" for number in range(30)]
    pages = [capture(url, NOON + 1000 * (at // 10) + at / 3, b"%d" % at) for at, url in enumerate(addresses)]
    for place in ("compiled", "python"):
        if place == "python":
            for room in (cdxj_index, open_file, tray, warc):
                monkeypatch.setattr(room, "compiled", None)
        for run in range(3):
            archive = open_archive(tmp_path / place, now=NOON + 1000 * run, **settings)  # type: ignore[arg-type]
            new, known = pages[run * 10 : run * 10 + 10], pages[: run * 10 + 10]
            archive.append([*new, not_modified(new[3], NOON + 999.5 * (run + 1))])
            same = [not_modified(one, NOON + 1000.25 * (run + 1)) for one in known]
            Random(run).shuffle(same)
            archive.append(same)
            archive.close()
    assert records_in(tmp_path / "compiled") == records_in(tmp_path / "python")
    assert lines_in(tmp_path / "compiled") == lines_in(tmp_path / "python")


def records_in(folder: Path) -> list[bytes]:
    """Of all files, without identities, which are drawn for each file, too; packed they may differ in length, and files
    end elsewhere then."""
    records = [member.data for path in warcs(folder) for member in members(path.open("rb"), 0)]
    return [sub(rb"<urn:uuid:[^>]*>", b"", record) for record in records if b"WARC-Type: warcinfo" not in record]


def lines_in(folder: Path) -> list[bytes]:
    lines = [line for path in folder.glob("*.cdxj") for line in path.read_bytes().splitlines()]
    return sorted(sub(rb'"(length|offset|filename)": "[^"]*"', b"", line) for line in lines)


LONG = "http://e.org/" + "a/b-" * 300


@pytest.mark.parametrize("url", ["http://e.org/", "http://e.org/a?b=c&d=%20", LONG, f"{LONG}x", "http://1.2.3.4:5/"])
@pytest.mark.parametrize("sha256", ["0" * 64, ""])
def test_a_304_is_packed_so_that_everybody_can_read_it(url: str, sha256: str) -> None:
    """Most of it was encoded before anything of it was known."""
    for second in (NOON, NOON + 86_400 * 400):
        line = CdxLine(
            urlkey(url), digits14(warc_date(NOON)), url, "text/html", "200", "A" * 32, 7, 0, "x.warc.gz",
            (("sha256", sha256),) if sha256 else (),
        )  # fmt: skip
        member, _ = compiled.unchanged(written(line), second + 0.25, NOON, f"<urn:uuid:{'1' * 36}>", "A: b\r\n", "y", 7)
        assert inflated(member) == gzip.decompress(member) == GzipFile(fileobj=BytesIO(member)).read()
        assert compiled.unpacked(member) == gzip.decompress(member)
        text = gzip.decompress(member).decode()
        assert text.count(url) == 2
        assert text.endswith("Content-Length: 0\r\n\r\n\r\n\r\n")
        assert warc_date(second + 0.25) in text
        assert len(member) < len(text) * 0.75


# ---- in order


@given(st.lists(st.binary(max_size=9).filter(lambda line: b"\n" not in line)), st.booleans(), st.integers(1, 30))
def test_lines_are_sorted_alike(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], torn: bool, run_bytes: int
) -> None:
    text = b"".join(line + b"\n" for line in lines) + (b"torn" if torn else b"")
    path = tmp_path_factory.mktemp("lines") / "x.cdxj.open"
    path.write_bytes(text)
    into = BytesIO()
    compiled.write_in_order(text, into.write, run_bytes)
    with path.open("rb") as file:
        assert into.getvalue() == b"".join(in_order(file))


def test_a_write_that_fails_is_told() -> None:
    def refuse(_run: bytes) -> None:
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        compiled.write_in_order(b"b\na\n", refuse, 1)


def test_a_run_begins_in_its_list() -> None:
    with pytest.raises(ValueError, match="place"):
        compiled.unchanged_run([], -1, [], [], inf, str, "f", 0, 99)
