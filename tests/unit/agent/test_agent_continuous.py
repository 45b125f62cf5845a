"""The agent that goes on looking: told by file events what changed, stopped by a signal."""

import importlib.util
import json
import signal
import subprocess
import sys
from pathlib import Path

from recrawl.agent.command import main

AGENT = (sys.executable, "-m", "recrawl.agent")


def _until(process: "subprocess.Popen[str]", kind: str, events: int) -> list[str]:
    """Looks told until so many events of a kind came; their lines."""
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line)
        if sum(json.loads(one)[kind] for one in lines) >= events:
            return lines
    raise AssertionError(f"ended early: {lines}")


def _put(file: Path, text: str) -> None:
    """Whole at once: a look never finds half of it."""
    fresh = file.parent.parent / "fresh"
    fresh.write_text(text)
    fresh.replace(file)


def test_file_events_lead_to_history_at_once_and_nothing_in_between_is_lost(tmp_path: Path) -> None:
    assert importlib.util.find_spec("watchfiles"), "the extra `agent` is part of the development environment"
    root, state = tmp_path / "root", tmp_path / "state"
    root.mkdir()
    (root / "old.html").write_text("old")
    assert main(["init", "--root", str(root), "--base", "http://127.0.0.1/", "--state", str(state), "--json"]) == 0
    process = subprocess.Popen(
        [*AGENT, "watch", "--continuous", "--state", str(state), "--json"], stdout=subprocess.PIPE, text=True
    )
    try:
        _until(process, "documents", 1)  # the first look
        _put(root / "early.html", "perhaps before file events flow")
        _until(process, "added", 1)
        _put(root / "late.html", "certainly while they do")
        _until(process, "added", 1)
        _put(root / "old.html", "changed, and longer")
        _until(process, "updated", 1)
        (root / "early.html").unlink()
        _until(process, "deleted", 1)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
    assert process.returncode == 0
    told = "".join(file.read_text() for file in sorted((state / "history").iterdir()))
    kinds = [(line.split(":")[0][-1], line.split(":")[1]) for line in told.splitlines()]
    assert kinds == [("A", "/early.html"), ("A", "/late.html"), ("U", "/old.html"), ("D", "/early.html")]
