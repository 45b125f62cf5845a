"""What is said of a page is so, also of one that has no copy, or was seen last in another age."""

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner

from recrawl.cli.root import recrawl as command_line
from tests.flow.conftest import Ran
from tests.flow.pages import Pages, serving

Run = Callable[..., Ran]
TEXT = "<p>The harbour was closed on Monday, and all ferries stayed where they were.</p>"


def test_pages_without_a_copy_say_why_and_every_visit_is_told(recrawl: Run, tmp_path: Path) -> None:
    with serving(Pages()) as pages:
        pages.write("/secret", "Secret", TEXT, '<meta name="robots" content="noarchive">')
        pages.write("/open", "Open", TEXT)
        pages.html["/missing"] = ""
        pages.link()
        del pages.html["/missing"]
        recrawl("add", pages.url, "--own", "--folder", "D")
        recrawl("run", "D", "--once")
        recrawl("run", "D", "--once", "--all")
    unkept = "the page asks not to be kept"
    assert unkept in recrawl("show", pages.url + "secret", "-C", "D", expect=2).err
    assert f"copy                 none: {unkept}" in recrawl("why", pages.url + "secret", "-C", "D").out
    missing = recrawl("why", pages.url + "missing", "-C", "D").out
    assert "never visited" not in missing and "no visit has found a page there yet" in missing
    told = recrawl("history", pages.url + "missing", "-C", "D").out
    assert "0 versions, 2 visits" in told and told.count("  404  ") == 2
    [version] = recrawl("history", pages.url + "open", "-C", "D", "--json").lines
    assert [one["status"] for one in version["visits"]] == [304, 200]  # type: ignore[attr-defined]
    painted = [
        CliRunner().invoke(command_line, ["search", "harbour", "-C", str(tmp_path / "D")], color=True, env=env).stdout
        for env in ({}, {"NO_COLOR": "1"})
    ]
    assert ["\x1b[" in one for one in painted] == [True, False]


def test_a_page_seen_last_in_another_age_is_due_and_its_facts_are_json(recrawl: Run, tmp_path: Path) -> None:
    place = {"length": "9", "offset": "0", "filename": "x.warc.gz"}
    facts = json.dumps({"url": "http://old.example/", "mime": "text/html", "status": "200", "digest": "A"} | place)
    lines = [f"example,old)/ 20240{month}01000000 {facts}\n" for month in (1, 2, 3)]
    (tmp_path / "old.cdxj").write_text("".join(lines))
    recrawl("import", "old.cdxj", "-C", "D")
    [why] = recrawl("why", "http://old.example/", "-C", "D", "--json").lines
    assert why["value"]["worth"] is None  # type: ignore[index]
    assert "longer ago than intervals.ceiling_s" in str(why["because"])
    assert "inf" not in recrawl("why", "http://old.example/", "-C", "D").out.replace("info", "")
