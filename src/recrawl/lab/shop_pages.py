"""The pages of the bundled shop as HTML, with everything real shops put between a crawler and their goods.

Ways to an item on a list page, in turn: plain links, links with a session id, `javascript:` calls, `onclick` code,
and redirects (`/go?u=…`). One department turns its pages by a form alone.
"""

import json
from calendar import monthrange
from collections.abc import Sequence
from datetime import date
from html import escape
from urllib.parse import quote

from recrawl.lab.shop_goods import DEPARTMENTS, Product, price_text
from recrawl.model.values import dataclass

SESSION = "visit"  # the parameter; it is in no list of well-known names
BY_FORM = "rugs"  # the department whose pages are turned by a form
SORTS = ("price", "name", "newest")


@dataclass(frozen=True, slots=True)
class Shelf:
    """One list page: `page` of `pages` of a department."""

    department: str
    page: int
    pages: int
    items: tuple[Product, ...]

    @property
    def path(self) -> str:
        return list_path(self.department, self.page)


def list_path(department: str, page: int) -> str:
    return f"/c/{department}?page={page}"


def home(best: Sequence[Product], token: str) -> str:
    rows = "".join(f'<li class="best">{_plain(one, one.title)}</li>' for one in best)
    return _frame("Corner Shop", f"<h1>Corner Shop</h1><ul class='bestsellers'>{rows}</ul>", token)


def shelf_page(shelf: Shelf, token: str) -> str:
    cards = "".join(_card(one, place, token) for place, one in enumerate(shelf.items))
    sorts = " ".join(f'<a href="/c/{shelf.department}?page={shelf.page}&amp;sort={sort}">{sort}</a>' for sort in SORTS)
    body = (
        f"<h1>{shelf.department.title()}</h1><p class='sorts'>Sort by {sorts}</p>"
        f"<ul class='goods'>{cards}</ul>{_pager(shelf)}"
    )
    return _frame(f"{shelf.department.title()}, page {shelf.page}", body, token)


def item_page(item: Product, related: Sequence[Product], token: str, style: int) -> str:
    """`style` 0: JSON-LD too, 1: microdata too, 2: markup alone."""
    reviews = "".join(_review(item, place) for place in range(len(item.reviews)))
    near = "".join(f"<li>{_plain(one, one.title)}</li>" for one in related)
    words = "".join(f"<p>{escape(text)}</p>" for text in item.paragraphs)
    scope = ' itemscope itemtype="https://schema.org/Product"' if style == 1 else ""
    name = ' itemprop="name"' if style == 1 else ""
    body = (
        f"<p class='crumbs'><a href='/c/{item.department}?page=1'>{item.department.title()}</a></p>"
        f"<article class='product'{scope}><h1{name}>{escape(item.title)}</h1>"
        f"{_price(item, style)}<p>Added on <time class='added' datetime='{item.added_on}'>{item.added_on:%d %B %Y}"
        f"</time></p><div class='description'>{words}</div>"
        f"<section><h2>{len(item.reviews)} reviews</h2><ul class='reviews'>{reviews}</ul>"
        f"<a rel='nofollow' href='/review/write?item={item.number}'>Write a review</a></section></article>"
        f"<p class='tools'><a href='{item.path}?print=1'>Print</a> <a href='/cart/add/{item.number}'>Add to cart</a>"
        f" <a href='/compare?a={item.number}&amp;b={item.number + 4}'>Compare</a></p>"
        f"<ul class='related'>{near}</ul>"
    )
    return _frame(item.title, body, token, head=_linked_data(item) if style == 0 else "")


def month_page(year: int, month: int, token: str) -> str:
    """A calendar without end."""
    before, after = _turned(year, month, -1), _turned(year, month, 1)
    days = "".join(
        f'<td><a href="/day/{year}-{month:02}-{day:02}">{day}</a></td>'
        for day in range(1, monthrange(year, month)[1] + 1)
    )
    body = (
        f"<h1>Opening hours {year}-{month:02}</h1><table class='calendar'><tr>{days}</tr></table>"
        f'<a href="/calendar/{before[0]}/{before[1]}">Previous month</a> '
        f'<a href="/calendar/{after[0]}/{after[1]}">Next month</a>'
    )
    return _frame("Opening hours", body, token)


def day_page(day: str, token: str) -> str:
    return _frame(f"Open on {day}", f"<h1>{escape(day)}</h1><p>We are open from nine to six.</p>", token)


def user_page(number: int, reviewed: Sequence[Product], token: str) -> str:
    rows = "".join(f"<li>{_plain(one, one.title)}</li>" for one in reviewed)
    return _frame(f"Reviewer {number}", f"<h1>Reviewer {number}</h1><ul class='reviewed'>{rows}</ul>", token)


def word_page(title: str, text: str, token: str) -> str:
    return _frame(title, f"<h1>{escape(title)}</h1><p>{escape(text)}</p>", token)


def _frame(title: str, body: str, token: str, head: str = "") -> str:
    nav = " ".join(f'<a href="/c/{one.name}?page=1">{one.name.title()}</a>' for one in DEPARTMENTS)
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)} - Corner Shop</title>{head}'
        f"</head><body><nav class='departments'><a href='/?{SESSION}={token}'>Home</a> {nav}</nav><main>{body}</main>"
        f"<aside class='adverts'>{_adverts(token)}</aside><footer><a href='/about?{SESSION}={token}'>About us</a> "
        f"<a href='/help/returns'>Returns</a> <a href='/help/delivery'>Delivery</a> "
        f"<a href='/calendar/2026/11'>Opening hours</a> <a href='/login?next=%2Fbasket&amp;{SESSION}={token}'>Log in"
        f"</a> <a href='javascript:void(0)' onclick='window.print()'>Print this</a></footer></body></html>\n"
    )


def _adverts(token: str) -> str:
    return "".join(
        f'<a href="/ad/click?campaign={place}&amp;to=https%3A%2F%2Fads.example%2F{place}&amp;{SESSION}={token}">'
        f"Advert</a>"
        f'<a href="https://ads.example/banner/{token[:4]}{place}">Banner</a>'
        for place in range(3)
    )


def _card(item: Product, place: int, token: str) -> str:
    return (
        f"<li class='card'>{_WAYS[place % len(_WAYS)](item, token)} <span class='price'>"
        f"{price_text(item.price, item.currency)}</span> <a rel='nofollow' href='/cart/add/{item.number}'>Add to cart"
        f"</a> <a href='/compare?a={item.number}&amp;b={item.number + 4}'>Compare</a></li>"
    )


def _plain(item: Product, text: str) -> str:
    return f'<a href="{item.path}">{escape(text)}</a>'


def _with_session(item: Product, token: str) -> str:
    return f'<a href="{item.path}?{SESSION}={token}">{escape(item.title)}</a>'


def _called(item: Product, token: str) -> str:
    return f"<a href=\"javascript:showItem({item.number}, '{item.slug}')\">{escape(item.title)}</a>"


def _clicked(item: Product, token: str) -> str:
    code = f"""return openItem({{from: "list", at: [1, 2]}}, '{item.number}', "{item.slug}", this);"""
    return f'<a href="#" onclick="{escape(code, quote=True)}">{escape(item.title)}</a>'


def _redirected(item: Product, token: str) -> str:
    return f'<a href="/go?u={quote(item.path, safe="")}&amp;{SESSION}={token}">{escape(item.title)}</a>'


_WAYS = (
    lambda item, token: _plain(item, item.title),
    _with_session,
    lambda item, token: _plain(item, item.title),
    _called,
    lambda item, token: _plain(item, item.title),
    _clicked,
    _redirected,
)


def _pager(shelf: Shelf) -> str:
    if shelf.department == BY_FORM:
        options = "".join(
            f"<option value='{page}'{' selected' if page == shelf.page else ''}>{page}</option>"
            for page in range(1, shelf.pages + 1)
        )
        return (
            f"<form class='pager' action='/c/{shelf.department}' method='get'><select name='page'>{options}</select>"
            "<button>Go</button></form>"
        )
    near = [page for page in range(1, shelf.pages + 1) if abs(page - shelf.page) <= 2 and page != shelf.page]
    links = " ".join(f'<a href="{list_path(shelf.department, page)}">{page}</a>' for page in near)
    after = f' <a rel="next" href="{list_path(shelf.department, shelf.page + 1)}">Next</a>'
    return f"<p class='pager'>{links}{after if shelf.page < shelf.pages else ''}</p>"


def _price(item: Product, style: int) -> str:
    text = price_text(item.price, item.currency)
    if style != 1:
        return f"<p class='price'>{text}</p>"
    return (
        f"<p class='price' itemprop='offers' itemscope itemtype='https://schema.org/Offer'>{text}"
        f"<meta itemprop='price' content='{item.price}'><meta itemprop='priceCurrency' content='{item.currency}'></p>"
    )


def _review(item: Product, place: int) -> str:
    one = item.reviews[place]
    return (
        f"<li class='review'><span class='stars'>{one.stars}</span> of 5 by "
        f"<a class='author' href='/user/{one.author_number}'>{escape(one.author)}</a> on "
        f"<time datetime='{one.on}'>{one.on:%d.%m.%Y}</time> <q class='words'>{escape(one.text)}</q></li>"
    )


def _linked_data(item: Product) -> str:
    value = {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": item.title,
        "sku": str(item.number),
        "releaseDate": item.added_on.isoformat(),
        "offers": {"@type": "Offer", "price": str(item.price), "priceCurrency": item.currency},
        "review": [
            {
                "@type": "Review",
                "author": {"@type": "Person", "name": one.author},
                "datePublished": one.on.isoformat(),
                "reviewRating": {"@type": "Rating", "ratingValue": one.stars},
                "reviewBody": one.text,
            }
            for one in item.reviews
        ],
    }
    text = json.dumps(value).replace("</", "<\\/")
    return f'<script type="application/ld+json">{text}</script>'


def _turned(year: int, month: int, by: int) -> tuple[int, int]:
    count = year * 12 + month - 1 + by
    return count // 12, count % 12 + 1


def is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
