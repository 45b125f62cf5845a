"""A backup made beside a running crawl is a folder that can go on."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from recrawl.answers.reading import reading
from recrawl.folder.backup import back_up
from recrawl.folder.folder import Folder
from recrawl.model.failure import RecrawlError
from tests.flow.conftest import RECRAWL, Ran, Site
from tests.flow.nursery import fork


def all_versions(folder: Path) -> dict[str, int]:
    """Every version of every page read back from the archive, byte for byte as its digest says: how many a page."""
    with reading(Folder(folder)) as found:
        pages = found.store.scan(limit=10_000)
        versions = {page.url: found.store.versions(page.id) for page in pages}
        for kept in versions.values():
            for version in kept:
                assert len(found.payload(version).body) == version.body_bytes
        return {url: len(kept) for url, kept in versions.items() if kept}


def test_a_copy_made_while_running_holds_every_version_it_knows_and_goes_on(
    start_site: Callable[..., Site], recrawl: Callable[..., Ran], tmp_path: Path
) -> None:
    site = start_site(60, "--delay", "0.02")
    recrawl("add", site.url, "--own", "--folder", "crawl")
    recrawl("run", "crawl", "--for", "0.1s", expect=None)  # so that there is a store to follow
    running = fork("recrawl", ["run", "crawl", "--quiet"], tmp_path, Path(os.devnull))
    try:
        words = [*RECRAWL, "changes", "--folder", "crawl", "--follow", "--json"]
        feed = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        assert feed.stdout is not None
        told = [json.loads(feed.stdout.readline())["url"] for _ in range(10)]
        first = json.loads(recrawl("db", "backup", "copy", "--folder", "crawl", "--json").out)
        early = all_versions(tmp_path / "copy")
        assert set(told) <= set(early)
        assert running.poll() is None
        feed.kill()
        feed.wait()
    finally:
        running.kill()
        running.wait()
    changed = told[1:3]
    site.change(*("/" + url.removeprefix(site.url) for url in changed))
    recrawl("run", "crawl", "--once", "--all")
    second = back_up(Folder(tmp_path / "crawl"), Folder(tmp_path / "copy"))
    grown = sum(file.stat().st_size for file in (tmp_path / "copy" / "warc").rglob("*"))
    assert 0 < second.archive_bytes < grown and first["archive_files"] >= 1
    shutil.rmtree(tmp_path / "crawl")
    kept = all_versions(tmp_path / "copy")
    assert [url for url, count in kept.items() if count == 2] == sorted(changed, key=list(kept).index)

    (tmp_path / "copy").rename(tmp_path / "crawl")
    site.change("/p/5.html")
    recrawl("run", "crawl", "--once", "--all")
    after = all_versions(tmp_path / "crawl")
    grown_by = {url: count - kept[url] for url, count in after.items() if count != kept[url]}
    assert grown_by == {f"{site.url}p/5.html": 1} and len(after) == len(site.paths())


def test_a_backup_goes_neither_into_its_own_folder_nor_over_other_things(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "crawl")
    folder.create("")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_bytes(b"meow")
    for target, refusal in (
        (tmp_path / "copy", "nothing was crawled yet"),
        (folder.path / "copy", "lies in the folder itself"),
        (tmp_path / "photos", "holds other things"),
    ):
        with pytest.raises(RecrawlError, match=refusal):
            back_up(folder, Folder(target))
