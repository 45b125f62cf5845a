"""A world of every temper, for tests and simulations: some of everything the web does, on as many servers as asked."""

from dataclasses import replace

from recrawl.lab.chance import between, key_of
from recrawl.lab.tempers import BY_DAY, BY_NIGHT, DAY_S, HOUR_S, HOURLY, ON_WEEKDAYS, WEEK_S, Bursty, Poisson, Rhythm
from recrawl.lab.world import START_AT, World
from recrawl.lab.world_parts import (
    Dated,
    Declared,
    Ending,
    Noise,
    PageSpec,
    Robots,
    ServerSpec,
    Shape,
    Shelf,
    Tag,
)

KINDS: tuple[PageSpec, ...] = (
    PageSpec("still"),
    PageSpec("still-bare", tag=Tag.NONE, dated=Dated.NONE),
    PageSpec("daily", Poisson(DAY_S)),
    PageSpec("weekly", Poisson(WEEK_S), tag=Tag.WEAK, dated=Dated.NONE),
    PageSpec("often", Poisson(3 * HOUR_S), tag=Tag.NONE),
    PageSpec("hourly", HOURLY),
    PageSpec("by-day", Rhythm(6 * HOUR_S, BY_DAY)),
    PageSpec("by-night", Rhythm(8 * HOUR_S, BY_NIGHT), tag=Tag.NONE, dated=Dated.NONE),
    PageSpec("on-weekdays", Rhythm(12 * HOUR_S, ON_WEEKDAYS)),
    PageSpec("bursty", Bursty(WEEK_S, 6 * HOUR_S, 8.0)),
    PageSpec("clock", noise=(Noise.CLOCK,), tag=Tag.NONE, dated=Dated.NONE),
    PageSpec("token", noise=(Noise.TOKEN, Noise.COUNTER), tag=Tag.RESTLESS, dated=Dated.RESTLESS),
    PageSpec("advert", Poisson(4 * DAY_S), noise=(Noise.ADVERT, Noise.CLOCK), tag=Tag.NONE, dated=Dated.NONE),
    PageSpec("growing", Poisson(2 * DAY_S), Shape.GROWING),
    PageSpec("frozen-tag", Poisson(2 * DAY_S), tag=Tag.FROZEN, dated=Dated.NONE),
    PageSpec("frozen-date", Poisson(2 * DAY_S), tag=Tag.NONE, dated=Dated.FROZEN),
    PageSpec("korean", Poisson(3 * DAY_S), language="ko", charset="euc-kr"),
    PageSpec("korean-meta", Poisson(9 * DAY_S), language="ko", charset="euc-kr", declared=Declared.META),
    PageSpec("japanese", Poisson(3 * DAY_S), language="ja", charset="shift_jis", declared=Declared.HTTP_EQUIV),
    PageSpec("japanese-euc", language="ja", charset="euc-jp", declared=Declared.NOWHERE),
    PageSpec("chinese", Poisson(5 * DAY_S), language="zh", charset="gb18030", declared=Declared.META),
    PageSpec("chinese-bom", language="zh", charset="utf-16", declared=Declared.BOM),
    PageSpec("german", language="de", charset="windows-1252", declared=Declared.META),
    PageSpec("russian", Poisson(7 * DAY_S), language="ru", charset="windows-1251"),
)
ENDING_KINDS: tuple[PageSpec, ...] = (
    PageSpec("vanishing", ending=Ending.NOT_FOUND),
    PageSpec("gone", Poisson(DAY_S), ending=Ending.GONE),
    PageSpec("soft", ending=Ending.SOFT_404),
    PageSpec("moving", ending=Ending.MOVED),
)
ROBOTS = Robots(disallow=("/private/",), allow=("/private/open",), traps=("/private/ledger", "/private/keys"))


def varied_world(
    seed: int, servers: int = 3, pages: int = 60, start_at: float = START_AT, span_s: float = 30 * DAY_S
) -> World:
    """`pages` is the number on each server, its shelf and its navigation pages not counted. Births, ends and moves
    fall into the first `span_s` of the world."""
    return World(seed, tuple(_server(seed, number, pages, start_at, span_s) for number in range(servers)), start_at)


def _server(seed: int, number: int, pages: int, start_at: float, span_s: float) -> ServerSpec:
    name = f"server-{number}"
    codings = ("", "gzip", "br", "zstd", "deflate")
    return ServerSpec(
        name,
        title=f"Town {number}",
        pages=_pages(key_of(seed, name), pages, start_at, span_s),
        shelves=(Shelf("/shop/", "Shop", items=24, arrivals=Poisson(DAY_S), life_s=10 * DAY_S, per_page=10),),
        robots=replace(ROBOTS, crawl_delay_s=2.0 if number % 3 == 2 else None),
        delay_s=0.05,
        coding=codings[number % len(codings)],
    )


def _pages(key: int, count: int, start_at: float, span_s: float) -> tuple[PageSpec, ...]:
    pages = [PageSpec("/private/open", title="Open to all")]
    cycle = KINDS + ENDING_KINDS
    while len(pages) < count:
        index = len(pages) - 1
        kind, moment = cycle[index % len(cycle)], float(int(start_at + between(0.1, 0.9, key, index) * span_s))
        page = replace(kind, path=f"/{kind.path}-{index}")
        if index % len(cycle) >= len(KINDS):
            page = replace(page, ended_at=moment)
        elif index % 9 == 8:
            page = replace(page, born_at=moment)
        pages.append(page)
        if page.ending is Ending.MOVED:
            target = f"{page.path}-new"
            pages[-1] = replace(page, moved_to=target)
            pages.append(replace(kind, path=target, ending=Ending.NOT_FOUND, born_at=moment))
    return tuple(pages)
