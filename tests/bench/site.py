"""A site made up for measuring: the same bytes for the same numbers, on every machine.

Pages stand on several servers. Each has a head, a menu, a main text, a list of related pages and a footer: in the usual
shape about 20 KB with about 60 links, most of them to pages that others link to as well. From one generation to the
next about one page in twenty changes, on every server; which, is a matter of its number.
"""

import random
from dataclasses import dataclass
from functools import cached_property

SECTIONS = 20
CHILDREN = 8  # links that make every page reachable
CHANGING = 20  # about one page in so many changes from generation 0 to generation 1, on every server
SPREAD = 0x9E3779B1  # by which page numbers are strewn
SYLLABLES = (
    "ba be bi bo da de di do fa fe ga ge ka ke ki ko la le li lo "
    "ma me mi mo na ne no pa pe ra re ri ro sa se si so ta te ti to va ve vi"
)


@dataclass(frozen=True)
class Shape:
    """`path` of a page and its section; `opening` and `closing` stand around the text, `text` and `item` are what its
    paragraphs and its list are made of. `menu` links lead to sections."""

    median_bytes: int = 20_000
    menu: int = 20
    related: int = 30
    path: str = "/section-{section}/page-{page}.html"
    opening: str = "<main><article>"
    closing: str = "</article></main>"
    text: str = '<p class="text">{}</p>\n'
    item: str = '<li><a href="{url}" title="see also">{words}</a> <span>{at}</span></li>\n'


SHAPES = {
    "articles": Shape(),
    "notes": Shape(median_bytes=8_000, menu=5, related=8),
    "books": Shape(median_bytes=120_000, menu=30, related=60),
    "forum": Shape(
        menu=12,
        related=40,
        path="/viewtopic.php?f={section}&t={page}",
        opening='<div id="wrap"><table class="board"><tr><td><div class="posts">',
        closing="</div></td></tr></table></div>",
        text='<div class="post"><div class="author"><b>user</b><br>Posts: 17</div>'
        '<div class="content">{}</div></div>\n',
    ),
    "shop": Shape(
        median_bytes=45_000,
        menu=60,
        related=120,
        path="/c/{section}/item/{page}?ref=list",
        opening='<div class="container"><div class="grid">',
        closing="</div></div>",
        text='<div class="row"><span class="name">{}</span><span class="price">12.90</span></div>\n',
        item='<div class="card"><a href="{url}"><img data-src="/images/{at}.jpg" alt="{words}"><h3>{words}</h3></a>'
        '<p class="price">{at}.99</p><button data-id="{at}">Add</button></div>\n',
    ),
}


@dataclass(frozen=True)
class Site:
    """`servers`: authorities, as they stand in addresses. Page 0 is the first server's home page."""

    pages: int
    servers: tuple[str, ...]
    seed: int = 7
    shape: Shape = SHAPES["articles"]

    def server_of(self, page: int) -> str:
        return self.servers[page % len(self.servers)]

    def path(self, page: int) -> str:
        section = page // len(self.servers) % SECTIONS
        return self.shape.path.format(section=section, page=page) if page else "/"

    def url(self, page: int) -> str:
        return f"http://{self.server_of(page)}{self.path(page)}"

    def numbers(self, server: str) -> range:
        """The pages that stand on a server."""
        return range(self.servers.index(server), self.pages, len(self.servers))

    def version(self, page: int, generation: int) -> int:
        return int(generation > 0 and page * SPREAD % 2**32 // 4096 % CHANGING == 0)

    def links(self, page: int) -> list[int]:
        """Children first: the tree that reaches every page; then others, near and far."""
        dice = random.Random(self.seed * 1_000_003 + page)
        children = [child for child in range(page * CHILDREN + 1, page * CHILDREN + CHILDREN + 1) if child < self.pages]
        return children + [dice.randrange(self.pages) for _ in range(self.shape.related)]

    def body(self, page: int, generation: int) -> bytes:
        return "".join(self._parts(page, self.version(page, generation))).encode()

    def _parts(self, page: int, version: int) -> list[str]:
        shape, dice = self.shape, random.Random(self.seed * 7_919 + page)
        title = self._sentences[page % len(self._sentences)][:60]
        here = self.server_of(page)
        parts = [
            "<!DOCTYPE html><html lang=en><head><meta charset=utf-8>",
            f"<title>{title} {page}</title><meta name=description content='{title}'>",
            "<link rel=stylesheet href=/style.css><meta name=viewport content='width=device-width'></head>",
            f"<body class=page><header id=top><a href='http://{self.servers[0]}/'>Home</a></header>",
            "<nav class=menu><ul>",
        ]
        parts += [
            f'<li class="item"><a href="{self._near(here, at)}">Section {at}</a></li>' for at in range(shape.menu)
        ]
        parts.append(f"</ul></nav>{shape.opening}<h1>{title} {page}</h1>")
        length = int(dice.lognormvariate(0.0, 0.5) * max(1_000, shape.median_bytes - 7_000))
        size, place = 0, dice.randrange(len(self._paragraphs))
        links = [self._shown(other, here) for other in self.links(page)]
        inline = iter(links[::6])
        while size < length:
            paragraph = self._paragraphs[place % len(self._paragraphs)]
            target = next(inline, "")
            linked = f' <a href="{target}">more of this</a>' if target else ""
            parts.append(shape.text.format(f"{paragraph}{linked}"))
            size, place = size + len(paragraph) + 50, place + 1
        if version:
            parts.append(f"<p class=text>Edition {version}: {self._sentences[(page * 31) % len(self._sentences)]}</p>")
        parts.append("<h2>Related</h2><ul class=related>")
        parts += [
            shape.item.format(url=url, words=self._sentences[at * 17 % 997][:40], at=at) for at, url in enumerate(links)
        ]
        parts.append(f"</ul>{shape.closing}<footer class=foot><p>Made for measuring.</p></footer></body></html>")
        return parts

    def _near(self, here: str, section: int) -> str:
        """A menu leads to pages of the same server."""
        page = self.servers.index(here) + section * len(self.servers)
        return self.path(page if page < self.pages else 0)

    def _shown(self, page: int, here: str) -> str:
        return self.path(page) if self.server_of(page) == here and page else self.url(page)

    @cached_property
    def _sentences(self) -> list[str]:
        dice = random.Random(self.seed)
        syllables = SYLLABLES.split()
        words = ["".join(dice.choices(syllables, k=dice.choice((1, 2, 2, 3, 3, 4)))) for _ in range(4000)]
        return [" ".join(dice.choices(words, k=dice.randint(6, 18))).capitalize() + "." for _ in range(1000)]

    @cached_property
    def _paragraphs(self) -> list[str]:
        dice = random.Random(self.seed + 1)
        return [" ".join(dice.choices(self._sentences, k=dice.randint(2, 7))) for _ in range(2000)]
