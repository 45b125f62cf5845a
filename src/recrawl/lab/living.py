"""The living site of the demo: a small town of six servers with pages of every temper.

gazette   newspaper: hourly front page with clock and adverts, articles by day, on weekdays, in bursts
bazaar    shop: lists and items that come and go, prices and reviews
plaza     Korean, Japanese, Chinese, German and Russian pages in their old charsets and in UTF-8
archive   slow: pages that stand still, grow, vanish or move
attic     failing: spells of errors and refused connections, and requests to come back later
ticker    overloaded: changes far faster than its Crawl-delay lets anybody follow
"""

from dataclasses import replace

from recrawl.lab.faults import FaultKind, FaultPlan, FaultRule
from recrawl.lab.living_titles import ARCHIVE, ATTIC, BERLIN, BUSAN, GAZETTE, KYOTO, MOSCOW, SHANGHAI, TICKER
from recrawl.lab.tempers import (
    BY_DAY,
    BY_NIGHT,
    DAY_S,
    HOUR_S,
    HOURLY,
    ON_WEEKDAYS,
    STILL,
    WEEK_S,
    Bursty,
    Poisson,
    Rhythm,
    Temper,
)
from recrawl.lab.world import START_AT, World
from recrawl.lab.world_parts import Dated, Declared, Ending, Noise, PageSpec, Robots, ServerSpec, Shape, Shelf, Tag

SPEED = 3600.0  # one second of the demo is one hour of the town
CRAWL_DELAY_S = 600.0  # of the ticker: 144 requests a day for pages that change more than 1,000 times

_BARE = PageSpec("", tag=Tag.NONE, dated=Dated.NONE)
_GAZETTE_TEMPERS: tuple[Temper, ...] = (
    Rhythm(6 * HOUR_S, BY_DAY),
    Rhythm(10 * HOUR_S, ON_WEEKDAYS),
    Bursty(WEEK_S, 5 * HOUR_S, 7.0),
    STILL,
    Rhythm(12 * HOUR_S, BY_NIGHT),
    Poisson(2 * DAY_S),
)
_SCRIPTS: tuple[tuple[str, tuple[str, ...], tuple[tuple[str, Declared], ...]], ...] = (
    ("ko", BUSAN, (("euc-kr", Declared.HEADER), ("utf-8", Declared.META), ("euc-kr", Declared.META))),
    ("ja", KYOTO, (("shift_jis", Declared.META), ("euc-jp", Declared.HTTP_EQUIV), ("utf-8", Declared.HEADER))),
    ("zh", SHANGHAI, (("gb18030", Declared.HEADER), ("utf-8", Declared.BOM))),
    ("de", BERLIN, (("windows-1252", Declared.META),)),
    ("ru", MOSCOW, (("windows-1251", Declared.HTTP_EQUIV),)),
)


def living_world(seed: int = 1, start_at: float = START_AT, crawl_delay_s: float = CRAWL_DELAY_S) -> World:
    servers = (_gazette(), _bazaar(), _plaza(), _archive(start_at), _attic(), _ticker(crawl_delay_s))
    return World(seed, servers, start_at)


def living_faults(seed: int = 1) -> FaultPlan:
    return FaultPlan(
        seed,
        (
            FaultRule(FaultKind.CONNECT, "attic", every_s=2 * DAY_S, lasts_s=6 * HOUR_S),
            FaultRule(FaultKind.ERROR, "attic", every_s=12 * HOUR_S, lasts_s=3 * HOUR_S),
            FaultRule(FaultKind.BUSY, "attic", share=0.1, retry_after_s=1800, spares_robots=True),
            FaultRule(FaultKind.SLOW, "archive", share=0.25, delay_s=0.8),
            FaultRule(FaultKind.TRUNCATED, "archive", share=0.01, spares_robots=True),
        ),
    )


def _gazette() -> ServerSpec:
    pages = tuple(
        PageSpec(f"/news/{place + 1}", _GAZETTE_TEMPERS[place % len(_GAZETTE_TEMPERS)], title=title)
        for place, title in enumerate(GAZETTE)
    )
    noisy = replace(_BARE, path="/today", temper=HOURLY, title="Today in town", noise=(Noise.CLOCK, Noise.ADVERT))
    letters = replace(_BARE, path="/letters", title="Write to us", noise=(Noise.TOKEN, Noise.COUNTER))
    weather = replace(_BARE, path="/weather", title="Weather", temper=HOURLY, paragraphs=2)
    return ServerSpec(
        "gazette",
        title="The Town Gazette",
        pages=(noisy, weather, letters, *pages),
        home=replace(_BARE, path="/", temper=HOURLY, noise=(Noise.CLOCK, Noise.ADVERT)),
        robots=Robots(("/desk/",), ("/desk/contact",), traps=("/desk/drafts", "/desk/payroll")),
        coding="gzip",
    )


def _bazaar() -> ServerSpec:
    about = tuple(PageSpec(f"/{name}", title=name.capitalize()) for name in ("delivery", "returns", "craftsmen"))
    tea = Shelf("/tea/", "Tea", 24, Poisson(16 * HOUR_S), 16 * DAY_S, 12, Poisson(30 * HOUR_S))
    lamps = Shelf("/lamps/", "Lamps", 14, Poisson(3 * DAY_S), 30 * DAY_S, 10, Poisson(6 * DAY_S), tag=Tag.WEAK)
    return ServerSpec(
        "bazaar",
        title="The Bazaar",
        pages=about,
        shelves=(tea, replace(lamps, noise=(Noise.TOKEN,))),
        robots=Robots(("/basket/", "/checkout"), traps=("/basket/add", "/checkout")),
        coding="br",
    )


def _plaza() -> ServerSpec:
    pages = [
        PageSpec(
            f"/{language}/{place + 1}",
            STILL if place % 3 == 2 else Poisson((1 + place) * DAY_S),
            title=title,
            language=language,
            charset=ways[place % len(ways)][0],
            declared=ways[place % len(ways)][1],
        )
        for language, titles, ways in _SCRIPTS
        for place, title in enumerate(titles)
    ]
    return ServerSpec("plaza", title="광장 · 広場 · 广场", pages=tuple(pages), robots=Robots(status=404))


def _archive(start_at: float) -> ServerSpec:
    pages = [PageSpec(f"/shelf/{place + 1}", title=title) for place, title in enumerate(ARCHIVE)]
    moved_at = start_at + 2 * DAY_S
    pages += [
        PageSpec("/additions", Poisson(8 * HOUR_S), Shape.GROWING, "New additions"),
        PageSpec("/loan/1", title="On loan until Friday", ended_at=start_at + 3 * DAY_S),
        PageSpec("/loan/2", title="On loan for a week", ended_at=start_at + 7 * DAY_S, ending=Ending.GONE),
        PageSpec("/loan/3", title="On loan, quietly", ended_at=start_at + 5 * DAY_S, ending=Ending.SOFT_404),
        PageSpec("/maps", title="Maps", ended_at=moved_at, ending=Ending.MOVED, moved_to="/atlas"),
        PageSpec("/atlas", Poisson(4 * DAY_S), title="Atlas", born_at=moved_at),
    ]
    return ServerSpec("archive", title="The Archive", pages=tuple(pages), delay_s=0.3, coding="gzip")


def _attic() -> ServerSpec:
    pages = tuple(
        PageSpec(f"/box/{place + 1}", Poisson((12 + 6 * place) * HOUR_S), title=title)
        for place, title in enumerate(ATTIC)
    )
    return ServerSpec("attic", title="The Attic", pages=pages, delay_s=0.05)


def _ticker(crawl_delay_s: float) -> ServerSpec:
    pages = tuple(
        PageSpec(f"/quote/{place + 1}", Poisson((20 + 2 * place) * 60.0), title=title, tag=Tag.WEAK, paragraphs=2)
        for place, title in enumerate(TICKER)
    )
    robots = Robots(crawl_delay_s=crawl_delay_s)
    return ServerSpec("ticker", title="The Ticker", pages=pages, robots=robots, delay_s=0.01)
