"""Bad input gets one clear sentence that says what to do, the documented exit code, and loses nothing."""

import fcntl
import json
import os
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.flow.conftest import RECRAWL, Ran, Site

Start = Callable[..., Site]
Run = Callable[..., Ran]


def one_sentence(ran: Ran) -> str:
    lines = [line for line in ran.err.splitlines() if line.strip()]
    assert len(lines) == 1, ran.err
    assert lines[0].startswith("recrawl: ")
    return lines[0]


def test_an_unknown_key_names_file_line_and_nearest_key(recrawl: Run, tmp_path: Path) -> None:
    recrawl("init", "D", "--contact", "me@example.org")
    settings = tmp_path / "D" / "recrawl.toml"
    settings.write_text('[operator]\ncontact = "me@example.org"\n\n[politeness]\ngap_ss = 2.0\n')
    said = one_sentence(recrawl("status", "D", expect=3))
    assert "recrawl.toml:5" in said
    assert "'gap_s'" in said
    settings.write_text("[politenes]\n")
    assert "recrawl.toml:1" in one_sentence(recrawl("run", "D", expect=3))
    settings.write_text("[politeness]\ngap_s = true\n")
    assert "politeness.gap_s" in one_sentence(recrawl("run", "D", expect=3))


def test_an_unknown_key_in_a_site_file_names_its_line(recrawl: Run, tmp_path: Path) -> None:
    recrawl("add", "http://127.0.0.1:9/", "--own", "--folder", "D")
    [file] = (tmp_path / "D" / "sites").glob("*.toml")
    file.write_text('seeds = ["http://127.0.0.1:9/"]\nown = ["127.0.0.1:9"]\nparalel = 2\n')
    said = one_sentence(recrawl("run", "D", "--once", expect=3))
    assert f"{file.name}:3" in said
    assert "parallel" in said


@pytest.mark.parametrize("url", ["htp://x", "http://", "https://exa mple.com/", "mailto:me@example.org", "http://[::1"])
def test_a_malformed_url_is_refused(recrawl: Run, url: str) -> None:
    assert "web address" in one_sentence(recrawl("add", url, "--folder", "D", expect=2))


def test_a_server_that_cannot_be_reached_ends_with_4_and_is_asked_again_later(recrawl: Run) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/"
        recrawl("add", url, "--own", "--folder", "D")
        assert "failed" in one_sentence(recrawl("run", "D", "--once", expect=4))
    [why] = recrawl("why", url, "--folder", "D", "--json").lines
    assert why["server"]["free_at"]
    assert not why["robots"]["allowed"]


def test_a_folder_in_use_ends_with_6(recrawl: Run, tmp_path: Path) -> None:
    recrawl("add", "http://127.0.0.1:9/", "--own", "--folder", "D")
    with (tmp_path / "D" / "recrawl.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "in use" in one_sentence(recrawl("run", "D", "--once", expect=6))


def test_a_store_from_a_newer_version_ends_with_8(start_site: Start, recrawl: Run, tmp_path: Path) -> None:
    site = start_site(3)
    recrawl("add", site.url, "--own", "--folder", "D")
    recrawl("run", "D", "--once")
    with sqlite3.connect(tmp_path / "D" / "recrawl.db") as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    for command in ("run", "status"):
        assert "newer" in one_sentence(recrawl(command, "D", expect=8))


def test_robots_txt_that_allows_nothing_ends_with_5(recrawl: Run, tmp_path: Path, start_site: Start) -> None:
    site = start_site(3)
    site.control({"robots": "User-agent: *\nDisallow: /\n"})
    recrawl("add", site.url, "--own", "--folder", "D")
    assert "robots.txt" in one_sentence(recrawl("run", "D", "--once", expect=5))
    assert site.pages_asked() == []
    [why] = recrawl("why", site.url, "--folder", "D", "--json").lines
    assert why["status"] == "refused"
    assert "Disallow: /" in why["robots"]["because"]


def test_a_foreign_site_needs_a_contact(recrawl: Run) -> None:
    recrawl("add", "https://example.com/", "--folder", "D")
    assert "contact" in one_sentence(recrawl("run", "D", "--once", expect=3))


def test_asking_before_crawling_says_what_to_do(recrawl: Run, tmp_path: Path) -> None:
    assert "recrawl add" in one_sentence(recrawl("status", "D", expect=2))
    recrawl("add", "http://127.0.0.1:9/", "--own", "--folder", "D")
    assert "recrawl run" in one_sentence(recrawl("status", "D", expect=2))


def test_an_unknown_page_says_so(start_site: Start, recrawl: Run) -> None:
    site = start_site(3)
    recrawl("add", site.url, "--own", "--folder", "D")
    recrawl("run", "D", "--once")
    assert "not known" in one_sentence(recrawl("why", site.url + "nowhere", "--folder", "D", expect=2))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_interrupted_run_saves_its_state(
    start_site: Start, recrawl: Run, tmp_path: Path, number: int, code: int, workers: str
) -> None:
    site = start_site(200, "--delay", "0.02")
    recrawl("add", site.url, "--own", "--folder", "D")
    process = subprocess.Popen(
        [*RECRAWL, "run", "D", "--once", "--workers", workers],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while len(site.requests()) < 20:
        time.sleep(0.02)
    os.kill(process.pid, number)
    assert process.wait(timeout=60) == code
    seen = len(site.pages_asked())
    [status] = recrawl("status", "D", "--json").lines
    assert status["visits"] == seen


def test_time_that_is_over_with_work_left_ends_with_7(start_site: Start, recrawl: Run) -> None:
    site = start_site(2000, "--delay", "0.02")
    recrawl("add", site.url, "--own", "--folder", "D")
    assert "still due" in one_sentence(recrawl("run", "D", "--for", "1s", expect=7))


LOW_DISK = """
set -u
mkdir -p $DISK
mount -t tmpfs -o size=80m tmpfs $DISK || exit 99
$RECRAWL add $URL --own --folder D >/dev/null
head -c 77m /dev/zero > $DISK/ballast
$RECRAWL run D --workers 1 --quiet >/dev/null 2>&1 & run=$!
until grep -q '"disk_floor".*"low": true' D/recrawl.log; do sleep 0.1; kill -0 $run || exit 98; done
$RECRAWL status D | grep -c "disk is nearly full"
$RECRAWL status D --json
wc -l < $LOG
$RECRAWL doctor D | grep -c "disk.*0.0 GB free$FOR"
rm $DISK/ballast
until [ $(wc -l < $LOG) -ge $PAGES ]; do sleep 0.1; kill -0 $run || exit 97; done
kill $run; wait $run
grep -c '"disk_floor".*"low": false' D/recrawl.log
$RECRAWL status D --json
"""


@pytest.mark.parametrize(("disk", "named"), [("D", " (at"), ("D/warc", " for warc"), ("D/journal", " for journal")])
def test_below_the_disk_floor_nothing_is_asked_it_is_said_and_the_crawl_goes_on_by_itself(
    start_site: Start, tmp_path: Path, disk: str, named: str
) -> None:
    """Parts of the folder may lie on a disk of their own."""
    site = start_site(30)
    site.log.touch()
    (tmp_path / "D").mkdir()
    own_mounts = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    words = {"RECRAWL": " ".join(RECRAWL), "URL": site.url, "LOG": str(site.log), "PAGES": "31"}
    words |= {"DISK": disk, "FOR": named}
    done = subprocess.run(
        [*own_mounts, "sh", "-c", LOW_DISK],
        cwd=tmp_path,
        env={**os.environ, **words},
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    said, low, asked, named, goes_on, status = done.stdout.splitlines()
    assert (said, asked, named, goes_on) == ("1", "0", "1", "1"), done.stdout
    assert json.loads(low)["disk_is_low"] is True
    counts = json.loads(status)
    assert (counts["pages"], counts["disk_is_low"]) == (30, False)


FULL_DISK = """
set -u
mount -t tmpfs -o size=900k tmpfs D || exit 99
$RECRAWL add $URL --own --folder D >/dev/null
$RECRAWL run D --once --workers 1 2>said; echo $?
mount -o remount,size=50m D
$RECRAWL run D --once --workers 1 >/dev/null; echo $?
$RECRAWL status D --json
$RECRAWL show $URL --folder D | wc -c
"""


def test_a_full_disk_ends_with_9_and_the_crawl_goes_on_when_there_is_room(start_site: Start, tmp_path: Path) -> None:
    """On a real full file system, mounted in a name space of its own."""
    site = start_site(400)
    (tmp_path / "D").mkdir()
    own_mounts = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    done = subprocess.run(
        [*own_mounts, "sh", "-c", FULL_DISK],
        cwd=tmp_path,
        env={**os.environ, "RECRAWL": " ".join(RECRAWL), "URL": site.url},
        capture_output=True,
        text=True,
        check=True,
    )
    full, then, status, shown = done.stdout.splitlines()
    assert (full, then) == ("9", "0"), done.stdout + (tmp_path / "said").read_text()
    assert "full" in (tmp_path / "said").read_text()
    counts = json.loads(status)
    assert counts["pages"] == counts["versions"] == 400
    assert int(shown) > 100
