"""Finished files go to object storage and are read back from there; while it is away they wait in the folder."""

import socket
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from threading import Thread

import boto3
import pytest
from moto.server import ThreadedMotoServer
from tests.unit.archive.exchanges import capture, open_archive

from recrawl.answers.checkup import Finding, reach
from recrawl.archive.names import FINISHED, WARC, stems
from recrawl.archive.object_store import AWAY_S, SENT, Sender, Shelf, send, unsent
from recrawl.folder.folder import Folder
from recrawl.model.failure import ConfigError, NotFound, StoreAway

URL = "s3://crawl/warc"


@pytest.fixture(scope="module")
def moto() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def storage(moto: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bucket; its address, key and endpoint in the environment, as an operator would have them."""
    keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
    bucket = boto3.resource("s3", endpoint_url=moto, region_name="us-east-1", **keys).Bucket("crawl")
    bucket.create()
    environment = {"AWS_ENDPOINT": moto, "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1"}
    for name, value in (environment | {name.upper(): value for name, value in keys.items()}).items():
        monkeypatch.setenv(name, value)
    yield moto
    bucket.objects.all().delete()
    bucket.delete()


def test_a_file_that_was_sent_is_read_from_the_storage_by_any_machine(storage: str, tmp_path: Path) -> None:
    with closing(open_archive(tmp_path / "here", object_store=URL)) as here:
        [place] = here.append([capture(body=b"<p>hello" + bytes(range(256)))])
    [stem] = unsent(tmp_path / "here")
    send(tmp_path / "here", stem, Shelf(URL))
    assert unsent(tmp_path / "here") == []
    with closing(open_archive(tmp_path / "there", object_store=URL)) as there:
        assert there.read(place).body == b"<p>hello" + bytes(range(256))
        with pytest.raises(NotFound, match="neither"):
            there.read(type(place)("recrawl-a-20270115080000-00077.warc.gz", 0, 10))


def test_what_is_finished_waits_in_the_folder_while_the_storage_is_away(
    storage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_archive(tmp_path, object_store=URL)) as written:
        [place] = written.append([capture(body=b"kept")])
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        away = shelf_at(f"http://127.0.0.1:{nobody.getsockname()[1]}", monkeypatch)
        complaints: list[str] = []
        sender = Sender(tmp_path, away, complaints.append)
        sender.close(patience_s=120.0)
    assert "wait" in complaints[0]
    assert unsent(tmp_path) == [place.file.removesuffix(WARC)]
    with closing(open_archive(tmp_path, object_store=URL)) as again:
        assert again.read(place).body == b"kept"
    back = Sender(tmp_path, shelf_at(storage, monkeypatch), complaints.append)
    back.close(patience_s=120.0)
    assert unsent(tmp_path) == []


def test_records_that_have_arrived_are_deleted_here_if_they_are_not_to_stay_and_read_from_there(
    storage: str, tmp_path: Path
) -> None:
    with closing(open_archive(tmp_path, object_store=URL)) as written:
        [first] = written.append([capture(body=b"first")])
    with closing(open_archive(tmp_path, object_store=URL)) as written:
        [second] = written.append([capture(body=b"second")])
    stem = first.file.removesuffix(WARC)
    (tmp_path / (stem + SENT)).touch()  # so it says, and it is not there
    complaints: list[str] = []
    Sender(tmp_path, Shelf(URL), complaints.append, keep_local=False).close(patience_s=120.0)
    assert complaints == []
    assert stems(tmp_path, WARC) == [stem]  # what did not arrive whole stays
    (tmp_path / (stem + SENT)).unlink()
    Sender(tmp_path, Shelf(URL), complaints.append, keep_local=False).close(patience_s=120.0)
    assert stems(tmp_path, WARC) == [] and len(stems(tmp_path, FINISHED)) == 2
    with closing(open_archive(tmp_path, object_store=URL)) as again:
        assert [again.read(place).body for place in (first, second)] == [b"first", b"second"]
        assert [payload.body for _, payload in again.walk()] == [b"first", b"second"]
        assert len(again.member(second)) == second.length


def test_a_reader_waits_for_a_silent_storage_for_a_moment_only(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("AWS_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(StoreAway, match="does not answer"):
            Shelf(URL, silent_s=0.1).read("recrawl-a-20270115080000-00077.warc.gz", 0, 10)


def test_a_reader_is_told_at_once_that_the_storage_is_away_until_it_is_asked_again(
    storage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_archive(tmp_path, object_store=URL)) as written:
        [place] = written.append([capture(body=b"kept")])
    send(tmp_path, place.file.removesuffix(WARC), Shelf(URL))
    now, asked = [100.0], (place.file, place.offset, place.length)
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        monkeypatch.setenv("AWS_ENDPOINT", f"http://127.0.0.1:{door.getsockname()[1]}")
        shelf = Shelf(URL, lambda: now[0], silent_s=60.0)
        with pytest.raises(StoreAway, match="does not answer"):
            shelf.read(*asked)
        door.listen()
        Thread(target=relay, args=(door, storage), daemon=True).start()
        now[0] += AWAY_S - 1.0
        with pytest.raises(StoreAway, match="does not answer"):
            shelf.read(*asked)
        now[0] += 2.0
        assert len(shelf.read(*asked)) == place.length


def relay(door: socket.socket, target: str) -> None:
    """Connect whoever comes to the door with the target."""
    host, _, port = target.removeprefix("http://").partition(":")
    with suppress(OSError):
        while True:
            here, there = door.accept()[0], socket.create_connection((host, int(port)))
            for pair in ((here, there), (there, here)):
                Thread(target=carry, args=pair, daemon=True).start()


def carry(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while some := source.recv(65536):
            target.sendall(some)
        target.shutdown(socket.SHUT_WR)


def shelf_at(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    monkeypatch.setenv("AWS_ENDPOINT", endpoint)
    return Shelf(URL)


def test_doctor_says_whether_the_storage_answers_and_what_waits_for_it(
    storage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder(tmp_path)
    folder.create(f'[archive]\nobject_store = "{URL}"\n')
    with closing(open_archive(folder.archive, object_store=URL)) as written:
        written.append([capture(body=b"kept")])
    assert list(reach(folder)) == [
        Finding("object_store", True, f"{URL} answers; finished files that wait for a run to send them: 1")
    ]
    [stem] = unsent(folder.archive)
    send(folder.archive, stem, Shelf(URL))
    assert list(reach(folder)) == [Finding("object_store", True, f"{URL} answers")]
    monkeypatch.setenv("AWS_ENDPOINT", "http://127.0.0.1:9")
    [away] = reach(folder)
    assert not away.good and f"{URL} does not answer" in away.says


def test_an_address_that_is_no_object_storage_is_refused_in_words() -> None:
    with pytest.raises(ConfigError, match="s3://bucket"):
        Shelf("nowhere")
