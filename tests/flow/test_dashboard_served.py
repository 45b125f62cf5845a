"""`recrawl serve` as people start it: where it listens, what it refuses, what it logs, how it ends."""

import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.flow.conftest import Ran
from tests.unit.web.conftest import make_small

Start = Callable[..., tuple["subprocess.Popen[str]", str]]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Start]:
    started: list[subprocess.Popen[str]] = []
    small = make_small(tmp_path / "folder")

    def start(*options: str) -> tuple["subprocess.Popen[str]", str]:
        words = [sys.executable, "-m", "recrawl", "serve", str(small.folder.path), "--port", "0", *options]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        return process, process.stdout.readline().split()[0]

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait(timeout=30)


def get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return bytes(answer.read())


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_it_answers_on_loopback_logs_requests_as_json_and_ends_quietly(serve: Start, stop: signal.Signals) -> None:
    process, address = serve()
    assert address.startswith("http://127.0.0.1:")
    assert json.loads(get(f"{address}ready")) == {"status": "ready", "pages": 3}
    with urllib.request.urlopen(f"{address}live", timeout=30) as stream:  # an open page does not keep it alive
        assert stream.readline().startswith(b"retry:")
        process.send_signal(stop)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 0
    lines = [json.loads(line) for line in said.splitlines()]
    assert [(line["kind"], line["route"], line["status"]) for line in lines] == [
        ("asked", "/ready", 200),
        ("asked", "/live", 200),
    ]


@pytest.mark.parametrize("options", [("--bind", "0.0.0.0"), ("--bind", "0.0.0.0", "--token", "short")])
def test_it_refuses_to_be_reached_by_others_without_a_token(
    recrawl: Callable[..., Ran], tmp_path: Path, options: tuple[str, ...]
) -> None:
    make_small(tmp_path / "folder")
    refused = recrawl("serve", tmp_path / "folder", "--port", "0", *options, expect=2)
    assert "--token" in refused.err and "http" not in refused.out


def test_it_says_what_to_do_without_a_folder_or_a_free_port(
    recrawl: Callable[..., Ran], serve: Start, tmp_path: Path
) -> None:
    assert "recrawl add" in recrawl("serve", tmp_path / "nowhere", expect=2).err
    _, address = serve()
    port = address.rstrip("/").rpartition(":")[2]
    assert "--port" in recrawl("serve", tmp_path / "folder", "--port", port, expect=2).err
