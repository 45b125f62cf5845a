"""Whoever starts recrawl may have closed its streams, filled the disk, or named the folder in another encoding."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import recrawl as recrawl_package
from tests.flow.conftest import RECRAWL, Ran, Site

Start = Callable[..., Site]
Run = Callable[..., Ran]


def in_a_shell(text: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    words = f"{shlex.join(RECRAWL)} {text}"
    return subprocess.run(
        ["sh", "-c", words],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_a_crawl_without_any_stream_writes_what_it_has_to_say_into_no_file(
    start_site: Start, recrawl: Run, tmp_path: Path
) -> None:
    recrawl("add", start_site(30).url, "--own", "--folder", "D")
    assert in_a_shell("run D --once <&- >&- 2>&-", tmp_path).returncode == 0
    assert recrawl("status", "D", "--json").lines[0]["pages"] == 30
    assert "ok  store" in recrawl("doctor", "D", expect=None).out


def test_output_that_finds_no_space_is_said_in_one_sentence(start_site: Start, recrawl: Run, tmp_path: Path) -> None:
    recrawl("add", start_site(5).url, "--own", "--folder", "D")
    recrawl("run", "D", "--once")
    done = in_a_shell("changes D --json > /dev/full", tmp_path)
    assert done.returncode == 9
    assert done.stderr == "recrawl: no space is left where the output goes: free some and run it again\n"


def test_a_folder_may_be_named_in_bytes_that_are_no_text_here(start_site: Start, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    assert in_a_shell(f"add {start_site(5).url} --own", folder).returncode == 0
    done = in_a_shell("run --once", folder)
    assert done.returncode == 0 and "5 new" in done.stdout, done.stderr
    plain = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert in_a_shell("changes --json", folder, **plain).stdout.count("\n") == 5
    assert in_a_shell("db backup ../copy", folder).returncode == 0
    assert "whole" in in_a_shell("doctor", folder).stdout


def test_a_reader_who_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    words = [*RECRAWL, "scope", "schema"]
    done = subprocess.run(words, stdout=writing, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_whatever_waits_for_ctrl_c_ends_by_it_as_the_exit_codes_say(recrawl: Run, tmp_path: Path) -> None:
    recrawl("init", "D")
    waiting = subprocess.Popen(
        [*RECRAWL, "serve", "D", "--port", "0", "--quiet"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert waiting.stdout is not None and waiting.stdout.readline()
    waiting.send_signal(signal.SIGINT)
    assert "Aborted" not in waiting.communicate(timeout=60)[1]
    assert waiting.returncode == 130


LOADED = "import sys; sys.path.insert(0, sys.argv[1]); import recrawl.cli; print(*sys.modules)"
INTERRUPTED = """
import signal
from recrawl.cli.loading import loading
with loading():
    class Odd:
        __set_name__ = lambda *_: signal.raise_signal(signal.SIGINT)  # an error here would become another one
    class Made:
        odd = Odd()
"""


def test_next_to_nothing_is_loaded_before_ctrl_c_is_listened_to() -> None:
    words = [sys.executable, "-I", "-S", "-c", LOADED, str(Path(recrawl_package.__file__).parents[1])]
    loaded = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    assert "recrawl.cli" in loaded and not {"typing", "re", "enum", "click", "signal"} & set(loaded)


LATE = """
import atexit, sys, threading
from recrawl.cli import main
atexit.register(print, "said at the end")
if sys.argv[1] == "busy":
    threading.Thread(target=lambda: threading.Event().wait(0.2) or print("said late")).start()
sys.argv[:] = ["recrawl", "--version"]
main()
"""


@pytest.mark.parametrize(
    ("kind", "last_words"), [("idle", ["said at the end"]), ("busy", ["said late", "said at the end"])]
)
def test_who_leaves_at_once_does_so_after_all_that_is_still_to_be_said(kind: str, last_words: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", LATE, kind], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1:] == last_words and done.stderr == ""


@pytest.mark.parametrize(("heeds", "code"), [(signal.default_int_handler, 130), (signal.SIG_IGN, 0)])
def test_ctrl_c_while_modules_are_loaded_ends_it_at_once_unless_it_is_ignored(heeds: Any, code: int) -> None:
    def heed() -> None:
        signal.signal(signal.SIGINT, heeds)

    words = [sys.executable, "-c", INTERRUPTED]
    done = subprocess.run(words, capture_output=True, check=False, preexec_fn=heed)
    assert (done.returncode, done.stdout, done.stderr) == (code, b"", b"")


@pytest.mark.skipif(not shutil.which("unshare"), reason="needs unshare, for a disk of its own")
def test_a_disk_that_can_only_be_read_is_said_in_one_sentence(tmp_path: Path) -> None:
    words = f"{shlex.join(RECRAWL)} agent init --root www --base http://a.example/ --state D/agent"
    shell = f"mount -t tmpfs none D && mount -o remount,ro D && {words}"
    (tmp_path / "D").mkdir()
    (tmp_path / "www").mkdir()
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", shell], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 3
    said = f"recrawl: {tmp_path}/D/agent: Read-only file system; see to its owner and its permissions\n"
    assert done.stderr == said
