"""Archives and lists of others become pages, versions and beliefs."""

import gzip
import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from tests.flow.conftest import RECRAWL, Ran

Run = Callable[..., Ran]
DAY = 24
PAGE = "<html><head><title>{0}</title></head><body><main><p>{1}</p></main></body></html>"


def chunked(body: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:7], body[7:])) + b"0\r\n\r\n"


def warc(file: Path, visits: list[tuple[str, int, str]], packed: bool) -> None:
    """As another crawler writes it: (address, hour, text), '' for a revisit record; chunks left in."""
    with file.open("wb") as out:
        writer = WARCWriter(out, gzip=packed)
        out_of = {}
        for url, hour, text in visits:
            date = f"2026-01-{1 + hour // DAY:02d}T{hour % DAY:02d}:00:00Z"
            if text:
                body = chunked(PAGE.format(text.split()[0], text).encode())
                head = StatusAndHeaders(
                    "200 OK", [("Content-Type", "text/html"), ("Transfer-Encoding", "chunked")], protocol="HTTP/1.1"
                )
                record = writer.create_warc_record(
                    url, "response", payload=io.BytesIO(body), http_headers=head, warc_headers_dict={"WARC-Date": date}
                )
                out_of[url] = (record.rec_headers.get_header("WARC-Payload-Digest"), date)
            else:
                digest, before = out_of[url]
                record = writer.create_revisit_record(
                    url, digest or "sha1:" + "A" * 32, url, before, warc_headers_dict={"WARC-Date": date}
                )
            writer.write_record(record)


TEXTS = ("The ferry leaves at noon from the old quay.", "A storm closed the harbour and everything else for a week.")


@pytest.mark.parametrize("packed", [True, False])
def test_a_warc_of_another_crawler_brings_versions_and_starts_the_beliefs(
    recrawl: Run, tmp_path: Path, packed: bool
) -> None:
    moving, still = "http://a.example/moving", "http://a.example/still"
    visits = [(still, 0, TEXTS[0])]
    for day in range(6):
        visits += [(moving, day * DAY + 1, f"{TEXTS[day % 2]} Day {day} of the diary has its own words.")]
        visits += [(still, (day + 1) * DAY, "")]
    warc(tmp_path / "x.warc", visits, packed)
    told = json.loads(recrawl("import", "x.warc", "-C", "D", "--json").out)
    assert told["pages"] == 2 and told["captures"] == 13 and told["versions"] == 7
    rows = {str(row["url"]): row for row in recrawl("export", "D").lines}
    assert (rows[moving]["changes"], rows[moving]["belief_changes"], rows[moving]["belief_gaps"]) == (5, 5, 5)
    assert (rows[still]["changes"], rows[still]["belief_changes"], rows[still]["belief_gaps"]) == (0, 0, 6)
    assert rows[still]["belief_watched_s"] == rows[still]["belief_quiet_s"] == 6 * 86_400
    assert rows[moving]["belief_quiet_s"] == 0
    assert "Day 5" in str(rows[moving]["text"])
    kinds = [line["kind"] for line in recrawl("changes", "D", "--json").lines if line["url"] == moving]
    assert kinds == ["added", *["updated"] * 5]
    assert [line["url"] for line in recrawl("search", "diary", "-C", "D", "--json").lines] == [moving]


def test_an_index_brings_the_same_beliefs_without_the_bytes(recrawl: Run, tmp_path: Path) -> None:
    lines = []
    for day, digest in enumerate("AABBB"):
        fields = {"url": "http://a.example/x", "mime": "text/html", "status": "200", "digest": digest * 32}
        place = {"length": "100", "offset": "0", "filename": "x.warc.gz"}
        lines.append(f"example,a)/x 202601{day + 1:02d}000000 {json.dumps(fields | place)}\n")
    (tmp_path / "index.cdxj").write_text("".join(lines))
    recrawl("import", "index.cdxj", "-C", "D")
    [row] = recrawl("export", "D").lines
    assert row["status"] == "new" and row["visits"] == 0
    assert (row["belief_gaps"], row["belief_changes"]) == (4, 1)
    assert (row["belief_watched_s"], row["belief_quiet_s"]) == (4 * 86_400, 3 * 86_400)


def test_lists_enter_pages_of_sites_that_ask_for_them_alone(recrawl: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("http://a.example/1\nhttp://a.example/1#again\nb.example/2\nnonsense\n")
    (tmp_path / "s.xml.gz").write_bytes(
        gzip.compress(
            b"<urlset><url><loc>http://a.example/3</loc></url><url><loc>http://a.example/1</loc></url></urlset>"
        )
    )
    told = json.loads(recrawl("import", "a.txt", "s.xml.gz", "-C", "D", "--json").out)
    assert (told["pages"], told["known"], told["no_address"]) == (3, 1, 1)
    assert sorted(told["sites"]) == ["a.example", "b.example"]
    site = (tmp_path / "D" / "sites" / "a.example.toml").read_text()
    assert "depth = 0" in site and "own" not in site
    (tmp_path / "t.csv").write_text("url\nhttp://c.example/\nhttp://a.example/9\n")
    told = json.loads(recrawl("import", "t.csv", "-C", "D", "--site", "a.example", "--json").out)
    assert (told["pages"], told["unwanted"]) == (1, 1)
    told = json.loads(recrawl("import", "t.csv", "-C", "D", "--site", "../../Evil Name", "--json").out)
    assert told["sites"] == ["evil-name"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.warc", b"WARC/1.1\r\nContent-Length: many\r\n\r\n"),
        ("x.warc", b"hello\r\n"),
        ("x.warc.gz", b"\x1f\x8bnot really"),
        ("x.wacz", b"PK\x03\x04 not really"),
        ("x.cdxj", b"a b c\n"),
        ("x.opml", b"<opml>"),
    ],
)
def test_what_is_broken_is_said_and_named(recrawl: Run, tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    assert name in recrawl("import", name, "-C", "D", expect=3).err


@pytest.mark.parametrize("packed", [True, False])
def test_what_came_before_a_torn_end_or_a_fault_is_taken_in(recrawl: Run, tmp_path: Path, packed: bool) -> None:
    visits = [(f"http://a.example/{number}", number, f"{TEXTS[0]} Number {number}.") for number in range(4)]
    warc(tmp_path / "x.warc", visits, packed)
    whole = (tmp_path / "x.warc").read_bytes()
    (tmp_path / "torn.warc").write_bytes(whole[:-60])
    (tmp_path / "more.txt").write_text("http://b.example/\n")
    told = json.loads(recrawl("import", "torn.warc", "more.txt", "-C", "D", "--json").out)
    assert (told["versions"], told["torn"], told["pages"]) == (3, 1, 4)
    (tmp_path / "broken.warc").write_bytes(
        whole + (b"\x1f\x8b\x08" + bytes(7) + b"\xff" * 50 if packed else b"broken\r\n")
    )
    assert "broken.warc" in recrawl("import", "broken.warc", "-C", "E", expect=3).err
    assert len(recrawl("changes", "E", "--json").lines) == 4


def test_a_list_may_come_through_a_pipe(tmp_path: Path) -> None:
    for number, source in enumerate(("-", "/dev/stdin")):
        words = [*RECRAWL, "import", source, "-C", str(tmp_path / f"D{number}"), "--json"]
        done = subprocess.run(words, input=b"http://a.example/1\n", capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["pages"] == 1


def raw_warc(file: Path, answers: list[bytes], fields: bytes = b"") -> None:
    """Response records as they are given, one a page."""
    with file.open("wb") as out:
        for number, block in enumerate(answers):
            out.write(
                b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/%d\r\n"
                b"WARC-Date: 2026-01-01T00:00:0%dZ\r\nContent-Type: application/http; msgtype=response\r\n%s"
                b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (number, number, fields, len(block), block)
            )


BODY = PAGE.format("Ferry", TEXTS[0]).encode()


def test_records_whose_answer_cannot_be_read_are_counted_and_told(recrawl: Run, tmp_path: Path) -> None:
    good = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + BODY
    raw_warc(tmp_path / "x.warc", [good, b"ICY 200 OK\r\n\r\n" + BODY, BODY, b""])
    told = json.loads(recrawl("import", "x.warc", "-C", "D", "--json").out)
    assert (told["versions"], told["unreadable"], told["cut"]) == (1, 3, 0)
    raw_warc(tmp_path / "cut.warc", [good], b"WARC-Truncated: length\r\n")
    told = json.loads(recrawl("import", "cut.warc", "-C", "E", "--json").out)
    assert (told["versions"], told["unreadable"], told["cut"]) == (0, 0, 1)
    said = recrawl("import", "x.warc", "cut.warc", "-C", "F").out
    assert "3 records whose answer cannot be read" in said and "1 records cut off" in said


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/2 200\r\nContent-Type: text/html\r\n\r\n",
        b"HTTP/2.0 200 OK\r\nContent-Type: text/html\r\n\r\n",
        b"HTTP/1.1  200 OK\r\nContent-Type: text/html\r\n\r\n",
        b"HTTP/1.1 200 OK\nContent-Type: text/html\n\n",
    ],
)
def test_the_heads_of_other_tools_are_read(recrawl: Run, tmp_path: Path, head: bytes) -> None:
    raw_warc(tmp_path / "x.warc", [head + BODY])
    assert json.loads(recrawl("import", "x.warc", "-C", "D", "--json").out)["versions"] == 1
    [row] = recrawl("export", "D").lines
    assert "The ferry leaves" in str(row["text"])


def test_an_index_need_not_say_where_its_records_are(recrawl: Run, tmp_path: Path) -> None:
    """As pywb answers when it is asked for some fields only (`fl=url,digest,…`): the bytes are not read anyway."""
    lines = [
        f'example,a)/x 202601{day:02d}000000 {{"url": "http://a.example/x", "digest": "{digest}", "length": "-"}}\n'
        for day, digest in enumerate("AABBB", 1)
    ]
    other = '{"url": "http://a.example/y", "status": "404", "digest": "C"}'
    silent = '{"url": "http://a.example/z", "status": "200"}'
    lines += [f"a.example)/y 20260101000000 {other}\n", f"a.example)/z 20260101000000 {silent}\n"]
    (tmp_path / "index.cdxj").write_text("".join(lines))
    told = json.loads(recrawl("import", "index.cdxj", "-C", "D", "--json").out)
    assert (told["pages"], told["captures"], told["other_answers"], told["no_digest"]) == (2, 5, 1, 1)
    rows = {str(row["url"]): row for row in recrawl("export", "D").lines}
    row = rows["http://a.example/x"]
    assert (row["belief_gaps"], row["belief_changes"]) == (4, 1)


def test_an_index_of_the_old_kind_is_named(recrawl: Run, tmp_path: Path) -> None:
    line = "com,example)/ 20160225042329 http://example.com/ text/html 200 37CF - - 1286 363 example2.warc.gz\n"
    (tmp_path / "old.cdx").write_text(" CDX N b a m s k r M S V g\n" + line)
    said = recrawl("import", "old.cdx", "-C", "D", expect=3).err
    assert "old.cdx:1" in said and "CDXJ" in said and "cdxj-indexer" in said
