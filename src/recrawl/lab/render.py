"""A page as HTML: a pure function of what it shows. Only the noise depends on the moment of asking."""

from collections.abc import Callable
from datetime import UTC, datetime
from html import escape

from recrawl.lab import prose
from recrawl.lab.chance import bits, fraction, key_of, pick
from recrawl.lab.server_map import Anchor
from recrawl.lab.world_parts import Declared, Noise, PageSpec, Shape
from recrawl.model.values import dataclass

STYLE = (
    "body{font:16px/1.5 Georgia,serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "nav a{margin-right:1em}h1{line-height:1.2}.edition,.noise{color:#777;font-size:.85em}"
)
_LISTS = (Shape.HOME, Shape.HUB, Shape.LIST)  # their links are what they have to say

REVIEWS_SHOWN = 5
ENTRIES_SHOWN = 30
ENTRIES_AT_START = 4


@dataclass(frozen=True, slots=True)
class View:
    """Everything a page shows. `changed_at` None: as it was when it was born."""

    page: PageSpec
    title: str
    key: int
    version: int
    changed_at: float | None
    anchors: tuple[Anchor, ...]
    items: int = 0  # on the shelf, for a list


def html(view: View, at: float) -> str:
    page = view.page
    main = _MAIN[page.shape](view)
    noise = "".join(_NOISE[kind](view.key, at) for kind in page.noise)
    links = "\n".join(f'<li><a href="{escape(anchor.href)}">{escape(anchor.text)}</a></li>' for anchor in view.anchors)
    listing, nav = (
        (f"<ul>\n{links}\n</ul>\n", "") if page.shape in _LISTS else ("", f"<nav>\n<ul>\n{links}\n</ul>\n</nav>\n")
    )
    return (
        f'<!DOCTYPE html>\n<html lang="{page.language}">\n<head>\n{_declaration(page)}'
        f"<title>{escape(view.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{noise}"
        f"<main>\n<h1>{escape(view.title)}</h1>\n{_edition(view)}{main}{listing}</main>\n{nav}</body>\n</html>\n"
    )


def not_found_html(title: str) -> str:
    """What a page that is not there looks like, with an honest status or with a polite 200."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<title>Page not found</title>\n</head>\n<body>\n<main>\n'
        f"<h1>Page not found</h1>\n<p>Sorry, {escape(title)} has no such page. It may have been removed.</p>\n</main>\n"
        '<nav><a href="/">Home</a></nav>\n</body>\n</html>\n'
    )


def _declaration(page: PageSpec) -> str:
    if page.declared is Declared.META:
        return f'<meta charset="{page.charset}">\n'
    if page.declared is Declared.HTTP_EQUIV:
        return f'<meta http-equiv="Content-Type" content="text/html; charset={page.charset}">\n'
    return ""


def _edition(view: View) -> str:
    """The version stands on the page, so that no two versions can look alike."""
    word = prose.WORDS[view.page.language]["edition"]
    moment = ""
    if view.changed_at is not None:
        moment = datetime.fromtimestamp(view.changed_at, UTC).strftime(", %Y-%m-%d %H:%M")
    return f'<p class="edition">{word} <span id="edition">{view.version}</span>{moment}</p>\n'


def _article(view: View) -> str:
    """Version v rewrote paragraph v mod n; paragraph i shows its newest revision."""
    count = view.page.paragraphs
    revisions = [max(0, view.version - (view.version - place) % count) for place in range(count)]
    return "".join(
        f"<p>{prose.paragraph(view.page.language, view.key, place, revision)}</p>\n"
        for place, revision in enumerate(revisions)
    )


def _growing(view: View) -> str:
    newest = view.version + ENTRIES_AT_START
    entries = "".join(
        f"<li>#{number}: {prose.sentence(view.page.language, view.key, 100, number)}</li>\n"
        for number in range(newest, max(0, newest - ENTRIES_SHOWN), -1)
    )
    return f"<ul>\n{entries}</ul>\n"


def _detail(view: View) -> str:
    """Every second version is a review, the others a new price."""
    words, language = prose.WORDS[view.page.language], view.page.language
    price = 500 + bits(view.key, 4, (view.version + 1) // 2) % 9500
    reviews = view.version // 2
    shown = "".join(
        f'<li itemprop="review">{prose.sentence(language, view.key, 200, number)}</li>\n'
        for number in range(reviews, max(0, reviews - REVIEWS_SHOWN), -1)
    )
    return (
        f'<div itemscope itemtype="https://schema.org/Product">\n<p>{words["price"]}: '
        f'<span itemprop="price" class="price">{price // 100}.{price % 100:02d}</span></p>\n'
        f'<p itemprop="description">{prose.paragraph(language, view.key, 0, 0)}</p>\n'
        f'<h2>{words["reviews"]} ({reviews})</h2>\n<ul class="reviews">\n{shown}</ul>\n</div>\n'
    )


def _list(view: View) -> str:
    return f'<p class="count">{view.items} {prose.WORDS[view.page.language]["items"]}</p>\n'


def _home(view: View) -> str:
    return f"<p>{prose.paragraph(view.page.language, view.key, 0, view.version)}</p>\n"


_MAIN: dict[Shape, Callable[[View], str]] = {
    Shape.HOME: _home,
    Shape.HUB: _home,
    Shape.ARTICLE: _article,
    Shape.GROWING: _growing,
    Shape.LIST: _list,
    Shape.DETAIL: _detail,
}


def _clock(key: int, at: float) -> str:
    moment = datetime.fromtimestamp(at, UTC).strftime("%A %d %B %Y, %H:%M:%S.%f")
    return f'<p class="noise clock">It is now {moment}.</p>\n'


def _token(key: int, at: float) -> str:
    token = f"{bits(key_of(key, repr(at)), 1):016x}{bits(key_of(key, repr(at)), 2):016x}"
    return f'<form action="/login" method="post"><input type="hidden" name="csrf_token" value="{token}"></form>\n'


def _counter(key: int, at: float) -> str:
    return f'<p class="noise counter">You are visitor number {int(at * 3 + fraction(key, 5) * 1e6):,}.</p>\n'


def _advert(key: int, at: float) -> str:
    return f'<aside class="noise advert">{pick(prose.ADVERTS, key_of(key, repr(at)), 6)}</aside>\n'


_NOISE: dict[Noise, Callable[[int, float], str]] = {
    Noise.CLOCK: _clock,
    Noise.TOKEN: _token,
    Noise.COUNTER: _counter,
    Noise.ADVERT: _advert,
}
