"""The monitor: trees compared, histories written, kills survived."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.unit.agent.agents import new_agent

from recrawl.agent import history, snapshot
from recrawl.agent.command import main
from recrawl.agent.place import Place
from recrawl.agent.snapshot import Seen
from recrawl.agent.sources import Found
from recrawl.agent.summary import summarise
from recrawl.agent.watch import Look, keep_looking, look, look_at_files
from recrawl.formats import atom, sitemap_xml
from recrawl.formats.his import Entry
from recrawl.model.failure import FormatError, UsageError
from recrawl.model.notice import NoticeKind

A, U, D = NoticeKind.ADDED, NoticeKind.UPDATED, NoticeKind.DELETED
NOW = 1_700_000_000.0
ALONE = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from recrawl.agent.command import main
code = main(sys.argv[1:])
assert not {"numpy", "click", "xxhash", "lxml", "watchfiles"} & set(sys.modules)
sys.exit(code)
"""
SOURCE = Path(__file__).parents[3] / "src"


def _events(found: Look) -> set[str]:
    return {f"{entry.kind.value}{entry.path}" for entry in found.entries}


def _touch(file: Path, text: str, at: int) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    os.utime(file, (at, at))


def test_a_look_finds_what_was_added_updated_and_deleted(tmp_path: Path) -> None:
    place = new_agent(tmp_path)
    root, told = tmp_path / "root", place.settings()
    _touch(root / "a.html", "one", 1000)
    _touch(root / "b" / "c d.html", "two", 1000)
    assert _events(look(place, told, NOW)) == set()  # nothing to compare with
    _touch(root / "a.html", "three", 2000)
    _touch(root / "b" / "ü.html", "four", 2000)
    (root / "b" / "c d.html").unlink()
    assert _events(look(place, told, NOW)) == {"U/a.html", "A/b/%C3%BC.html", "D/b/c%20d.html"}
    assert _events(look(place, told, NOW)) == set()


def test_the_first_look_can_announce_everything(tmp_path: Path) -> None:
    place = new_agent(tmp_path)
    _touch(tmp_path / "root" / "a.html", "one", 1000)
    assert _events(look(place, place.settings(), NOW, announce_first=True)) == {"A/a.html"}


@pytest.mark.parametrize(
    ("hashing", "touched", "rewritten"),
    [("never", {"U/a.html"}, set()), ("changed", set(), set()), ("always", set(), {"U/a.html"})],
)
def test_the_content_decides_what_is_updated_when_asked(
    tmp_path: Path, hashing: str, touched: set[str], rewritten: set[str]
) -> None:
    place = new_agent(tmp_path)
    place.settings_file.write_text(place.settings_file.read_text().replace('hash = "changed"', f'hash = "{hashing}"'))
    file = tmp_path / "root" / "a.html"
    _touch(file, "same", 1000)
    look(place, place.settings(), NOW)
    _touch(file, "same", 2000)
    assert _events(look(place, place.settings(), NOW)) == touched
    _touch(file, "emas", 2000)  # neither size nor time shows it
    assert _events(look(place, place.settings(), NOW)) == rewritten


def test_an_index_file_is_its_folder_and_what_is_hidden_or_linked_is_passed_over(tmp_path: Path) -> None:
    place = new_agent(tmp_path)
    root = tmp_path / "root"
    _touch(root / "index.html", "home", 1000)
    _touch(root / "sub" / "index.html", "sub", 1000)
    _touch(root / ".secret", "x", 1000)
    _touch(tmp_path / "outside.html", "x", 1000)
    (root / "link.html").symlink_to(tmp_path / "outside.html")
    assert _events(look(place, place.settings(), NOW, announce_first=True)) == {"A/", "A/sub/"}


@pytest.mark.parametrize("source", ["walk", "list", "command"])
def test_robots_txt_is_asked_for_by_every_robot_anyway_and_no_document(tmp_path: Path, source: str) -> None:
    listed = 'source = "list"\nlist = "all.txt"\n'
    printed = 'source = "command"\ncommand = "cat all.txt"\n'
    place = new_agent(tmp_path)
    more = {"walk": 'exclude = ["all.txt"]\n', "list": listed, "command": printed}[source]
    place.settings_file.write_text(place.settings_file.read_text().replace("[documents]\n", "[documents]\n" + more))
    root = tmp_path / "root"
    for name in ("robots.txt", "sub/robots.txt", "a.html"):
        _touch(root / name, "User-agent: *", 1000)
    _touch(root / "all.txt", "/robots.txt\n/sub/robots.txt\n/a.html\n", 1000)
    found = look(place, place.settings(), NOW, announce_first=True)
    assert _events(found) == {"A/a.html", "A/sub/robots.txt"} and found.documents == 2
    assert not look_at_files(place, place.settings(), [str(root / "robots.txt")], NOW).entries


def test_what_the_agent_publishes_is_no_news_to_the_agent(tmp_path: Path) -> None:
    """Every look would else bring a new sitemap, which the next one would announce."""
    root = tmp_path / "root"
    place = new_agent(tmp_path, more=f'[publish]\nfolder = "{root}"\n')
    _touch(root / "a.html", "one", 1000)
    assert look(place, place.settings(), NOW).documents == 1
    assert (root / "sitemap.xml").exists()
    for _ in range(2):
        assert not look(place, place.settings(), NOW).entries
    _touch(root / "a.html", "other", 2000)
    assert _events(look(place, place.settings(), NOW)) == {"U/a.html"}
    files = [str(root / name) for name in ("sitemap.xml", "changes.atom")]
    assert not look_at_files(place, place.settings(), files, NOW).entries


def test_an_agent_does_not_live_among_the_documents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its own files would be documents, and everybody could read them."""
    words = ["init", "--root", str(tmp_path), "--base", "http://a.example/", "--state", str(tmp_path / "state")]
    assert main(words) == 2 and "inside --root" in capsys.readouterr().err


def test_who_goes_on_looking_can_announce_everything_too(tmp_path: Path) -> None:
    place = new_agent(tmp_path)
    _touch(tmp_path / "root" / "a.html", "one", 1000)
    stop, told = threading.Event(), list[Look]()

    def tell(found: Look) -> None:
        told.append(found)
        stop.set()

    keep_looking(place, place.settings(), lambda: NOW, 0.01, stop, tell, announce_first=True)
    assert _events(told[0]) == {"A/a.html"}


def test_a_root_that_is_not_there_is_an_error_and_not_a_mass_deletion(tmp_path: Path) -> None:
    place = new_agent(tmp_path)
    _touch(tmp_path / "root" / "a.html", "one", 1000)
    look(place, place.settings(), NOW)
    (tmp_path / "root").rename(tmp_path / "moved")
    with pytest.raises(UsageError, match="not a folder"):
        look(place, place.settings(), NOW)


def test_documents_can_come_from_a_list_or_a_command(tmp_path: Path) -> None:
    place = new_agent(tmp_path)
    base_text = place.settings_file.read_text()
    root = tmp_path / "root"
    _touch(root / "a.html", "one", 1000)
    _touch(root / "list.txt", "a.html\nmissing.html\n/shop?id=1\t10\t2026-01-02\tabc\n", 1000)
    place.settings_file.write_text(base_text.replace("[documents]", '[documents]\nsource = "list"\nlist = "list.txt"'))
    assert _events(look(place, place.settings(), NOW, announce_first=True)) == {"A/a.html", "A/shop?id=1"}
    script = "print('http://www.example.com/shop?id=1\\t10\\t2026-01-03\\tabc')"
    _touch(root / "export.py", script, 1000)
    command = f'[documents]\nsource = "command"\ncommand = "{sys.executable} export.py"'
    place.settings_file.write_text(base_text.replace("[documents]", command))
    assert _events(look(place, place.settings(), NOW)) == {"D/a.html"}  # the hash is the same
    assert _events(look(place, place.settings(), NOW)) == set()


@pytest.mark.parametrize("line", ["http://evil.example/x\t1\t2026", "/../../etc/passwd", "a\tb\tc", "a\t1\tnever"])
def test_a_list_with_a_line_that_is_not_ours_is_an_error_with_its_number(tmp_path: Path, line: str) -> None:
    place = new_agent(tmp_path)
    (tmp_path / "root" / "list.txt").write_text(f"# documents\n{line}\n")
    text = place.settings_file.read_text().replace("[documents]", '[documents]\nsource = "list"\nlist = "list.txt"')
    place.settings_file.write_text(text)
    with pytest.raises(FormatError) as error:
        look(place, place.settings(), NOW)
    assert error.value.line == 2


def test_file_events_give_the_same_as_a_whole_look(tmp_path: Path) -> None:
    place = new_agent(tmp_path)
    root = tmp_path / "root"
    for name in ("a", "b", "c"):
        _touch(root / f"{name}.html", name, 1000)
    look(place, place.settings(), NOW)
    _touch(root / "a.html", "changed", 2000)
    _touch(root / "d.html", "new", 2000)
    (root / "b.html").unlink()
    files = [str(root / f"{name}.html") for name in ("a", "b", "d")] + [str(tmp_path / "elsewhere.html")]
    assert _events(look_at_files(place, place.settings(), files, NOW)) == {"U/a.html", "A/d.html", "D/b.html"}
    assert _events(look(place, place.settings(), NOW)) == set()


def test_a_look_that_died_before_its_snapshot_repeats_its_events_and_the_summary_forgives_it(tmp_path: Path) -> None:
    place = new_agent(tmp_path)
    _touch(tmp_path / "root" / "a.html", "one", 1000)
    look(place, place.settings(), NOW)
    start = history.end(place.history)
    before = place.snapshot.read_bytes()
    _touch(tmp_path / "root" / "b.html", "two", 1000)
    look(place, place.settings(), NOW)
    place.snapshot.write_bytes(before)  # the kill came after the history was written
    look(place, place.settings(), NOW)
    entries, _ = history.since(place.history, start)
    assert [entry.kind for entry in entries] == [A, A]
    assert [(entry.kind, entry.path) for entry in summarise(entries)] == [(A, "/b.html")]


def test_a_line_that_a_kill_cut_short_is_cut_off_before_the_next_one(tmp_path: Path) -> None:
    one, two = Entry(A, "/one", 1, 1000), Entry(U, "/two", 2, 2000)
    file = history.append(tmp_path, [one], NOW)
    assert file is not None
    with file.open("ab") as torn:
        torn.write(b"U:/tw")
    assert history.since(tmp_path, history.BEGINNING)[0] == [one]
    history.append(tmp_path, [two], NOW)
    assert history.since(tmp_path, history.BEGINNING)[0] == [one, two]


def test_positions_go_on_over_days_and_a_clock_set_back_loses_nothing(tmp_path: Path) -> None:
    one, two, three = (Entry(A, f"/{name}", 1, 1000) for name in ("one", "two", "three"))
    history.append(tmp_path, [one], NOW)
    place = history.end(tmp_path)
    history.append(tmp_path, [two], NOW + 200_000)
    history.append(tmp_path, [three], NOW)
    assert history.since(tmp_path, place) == ([two, three], history.end(tmp_path))
    assert len(history.days(tmp_path)) == 2


names, few, blank = some.sampled_from(["/a", "/b", "/c", "/d"]), some.integers(0, 3), some.just("")
found = some.builds(Found, names, few, few, blank, blank)


@given(some.lists(found, unique_by=lambda one: one.path), some.lists(found, unique_by=lambda one: one.path))
@settings(max_examples=200)
def test_the_events_of_a_look_lead_from_the_old_tree_to_the_new_one(old: list[Found], new: list[Found]) -> None:
    before = {one.path: Seen(one.size_bytes, one.modified_ns) for one in old}
    difference = snapshot.compare(before, new, "never", lambda _: "", NOW)
    tree = dict(before)
    for entry in difference.entries:
        assert (entry.path in tree) is (entry.kind is not A)
        if entry.kind is D:
            del tree[entry.path]
        else:
            tree[entry.path] = difference.snapshot[entry.path]
    assert tree == difference.snapshot == {one.path: Seen(one.size_bytes, one.modified_ns) for one in new}


def test_the_sitemap_has_true_dates_and_the_feed_has_tombstones(tmp_path: Path) -> None:
    place = new_agent(tmp_path)
    root = tmp_path / "root"
    _touch(root / "a.html", "one", 1000)
    _touch(root / "b.html", "two", 2000)
    look(place, place.settings(), NOW)
    (root / "b.html").unlink()
    look(place, place.settings(), NOW)
    listed = sitemap_xml.parse((place.public / "sitemap.xml").read_bytes()).entries
    assert [(one.url, one.modified_at) for one in listed] == [("http://www.example.com/a.html", 1000.0)]
    [item] = atom.parse((place.public / "changes.atom").read_bytes()).items
    assert (item.url, item.deleted) == ("http://www.example.com/b.html", True)


def test_the_agent_runs_with_the_standard_library_alone(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    _touch(tmp_path / "root" / "a.html", "one", 1000)
    words = ["--state", "state", "--json"]
    for command in (["init", "--root", "root", "--base", "http://h.example/"], ["watch"], ["notify"], ["status"]):
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", ALONE, str(SOURCE), *command, *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
    assert '"documents": 1' in done.stdout


def test_a_folder_that_is_no_agents_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="agent init"):
        Place(tmp_path).settings()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[documents]\nrot = "x"', "did you mean 'root'"),
        ('[document]\nroot = "x"', "did you mean 'documents'"),
        ('[documents]\nroot = "x"\nbase = "ftp://x/"', "base must be"),
        ('[documents]\nroot = "x"\nbase = "http://x/"\nhash = "md5"', "hash must be one of"),
        ("root =", "Invalid"),
    ],
)
def test_a_wrong_setting_is_refused_with_a_hint(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "agent.toml").write_text(text)
    with pytest.raises(FormatError, match=words):
        Place(tmp_path).settings()
