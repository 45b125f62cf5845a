"""What the compiled part finds, writes and sorts for a 304 is what Python would have."""

import gzip
from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.archive.exchanges import NOON, capture, captured, ids, not_modified, open_archive, reply, warcs

from recrawl.archive import cdxj_index, open_file, tray
from recrawl.archive.cdxj_index import Wanted
from recrawl.archive.open_file import in_order
from recrawl.archive.record import digits14, record_id, timestamp14, warc_date
from recrawl.archive.warc import plainly_unchanged, unchanged
from recrawl.formats.cdxj import CdxLine, odd_urlkey, parse_written, thorough_urlkey, urlkey, written
from recrawl.model.capture import Capture
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


def test_an_archive_is_the_same_without_the_compiled_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several runs: originals in finished files, in the open one and among those that are just written."""
    pages = [
        capture(f"http://e.org/{number % 7}?x={number}", NOON + number / 3, b"%d" % number) for number in range(40)
    ]
    Random(1).shuffle(pages)
    for place in ("compiled", "python"):
        if place == "python":
            for room in (cdxj_index, open_file):
                monkeypatch.setattr(room, "compiled", None)
            monkeypatch.setattr(tray, "plainly_unchanged", lambda *facts: None)
        for run in range(3):
            archive = open_archive(tmp_path / place, now=NOON + 1000 * run)
            new, known = pages[run * 10 : run * 10 + 10], pages[: run * 10 + 10]
            archive.append([*new, not_modified(new[3], NOON + 999.5 * (run + 1))])
            archive.append([not_modified(one, NOON + 1000.25 * (run + 1)) for one in known])
            archive.close()
    for one, other in zip(warcs(tmp_path / "compiled"), warcs(tmp_path / "python"), strict=True):
        assert one.read_bytes() == other.read_bytes()
        assert (
            one.with_suffix("").with_suffix(".cdxj").read_bytes()
            == other.with_suffix("").with_suffix(".cdxj").read_bytes()
        )


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
