"""recrawl from Python."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

import recrawl
from tests.flow.conftest import Site


def test_a_crawl_in_a_few_lines_of_python(start_site: Callable[..., Site], tmp_path: Path) -> None:
    site = start_site(25)

    async def main() -> None:
        async with recrawl.open(tmp_path / "D") as rc:
            rc.add(site.url, own=True)
            counts = await rc.run(once=True)
            assert counts["new"] == 25
            changes = [change async for change in rc.changes()]
            assert {change.kind for change in changes} == {recrawl.EventKind.ADDED}
            assert rc.status().live == 25
            site.change("/p/3.html")
            await rc.run(once=True, everything=True)
            [change] = [change async for change in rc.changes(since=changes[-1].cursor)]
            assert change.url == site.url + "p/3.html"
            new, old = rc.versions(change.url)
            assert rc.body(change.url) != rc.body(change.url, at=old.at)
            assert rc.document(change.url).title
            assert new.digest == change.digest
            assert len(list(rc.pages())) == 25
            with pytest.raises(recrawl.RecrawlError, match="no cursor"):
                await anext(rc.changes(since=change.cursor + 1))

    asyncio.run(main())


def test_followed_changes_arrive_while_the_crawl_goes_on(start_site: Callable[..., Site], tmp_path: Path) -> None:
    site = start_site(12)

    async def main() -> list[str]:
        async with recrawl.open(tmp_path / "D") as rc:
            rc.add(site.url, own=True)
            crawl = asyncio.create_task(rc.run(once=True))
            seen = []
            async for change in rc.changes(follow=True):
                seen.append(change.url)
                if len(seen) == 12:
                    break
            await crawl
            return seen

    assert len(set(asyncio.run(main()))) == 12


def test_what_was_written_into_a_site_file_outlives_the_program_that_adds_the_site_again(tmp_path: Path) -> None:
    written = '# mine\nseeds = ["http://shop.test/"]\nown = ["shop.test"]\n\n[[fields]]\nname = "price"\ncss = "b"\n'

    async def main() -> None:
        async with recrawl.open(tmp_path / "D") as rc:
            file = tmp_path / "D" / "sites" / "shop.toml"
            file.write_text(written)
            rc.add("http://shop.test/", name="shop")
            assert file.read_text() == written
            site = rc.add("http://shop.test/more", name="shop", depth=2)
            assert (site.seeds, site.own, site.depth) == (
                ("http://shop.test/", "http://shop.test/more"),
                ("shop.test",),
                2,
            )
            assert [one.name for one in site.fields] == ["price"]
            assert rc.folder.sites() == [site]

    asyncio.run(main())
