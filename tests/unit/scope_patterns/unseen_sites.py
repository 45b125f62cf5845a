"""Small webs of many habits, none of them known to the learner: pages as functions of their path."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from html import escape

_WORDS = (
    "amber basin cedar delta ember fjord grove harbor island jetty kelp lagoon meadow north orchard pier quarry ridge "
    "summit timber upland valley willow yonder"
)
WORDS = tuple(_WORDS.split())

Made = str | tuple[int, str]  # HTML, or a status and where it leads


@dataclass
class Web:
    """`wanted`: paths of lists and details; `page` answers a path, None: there is no such page."""

    start: str
    page: Callable[[str], Made | None]
    lists: set[str]
    details: set[str]
    examples: list[str] = field(default_factory=list)

    @property
    def wanted(self) -> set[str]:
        return self.lists | self.details


def words(number: int, count: int = 4) -> str:
    return " ".join(WORDS[(number * 7 + place * (5 + number % 11)) % len(WORDS)] for place in range(count))


def prose(number: int, sentences: int = 6) -> str:
    return " ".join(f"{words(number * 31 + place, 9).capitalize()} {number}." for place in range(sentences))


def link(href: str, text: str, more: str = "") -> str:
    return f'<a href="{escape(href, quote=True)}"{more}>{escape(text)}</a>'


def items(rows: Iterable[str], name: str) -> str:
    return f'<ul class="{name}">' + "".join(f"<li>{row}</li>" for row in rows) + "</ul>"


def frame(title: str, nav: str, body: str, foot: str) -> str:
    return (
        f"<!DOCTYPE html><html><head><title>{escape(title)}</title></head><body><nav class='top'>{nav}</nav>"
        f"<main>{body}</main><footer>{foot}</footer></body></html>"
    )


def news(articles: int = 180) -> Web:
    """Dated addresses, pages in the path, tags, authors, an archive of months, share and reply links."""
    sections = ("politics", "sport", "culture", "science", "weather")

    def path(number: int) -> str:
        return (
            f"/2026/{number % 11 + 1:02}/{number % 27 + 1:02}/{words(number).replace(' ', '-')}-{words(number + 3, 1)}"
        )

    of = {section: [n for n in range(articles) if n % 5 == place] for place, section in enumerate(sections)}
    number_of = {path(number): number for number in range(articles)}
    nav = "".join(link(f"/{section}/", section.title()) for section in sections)
    foot = link("/about/", "About") + link("/contact/", "Contact") + "".join(
        link(f"/2026/{month:02}/", f"{month}/2026") for month in range(1, 12)
    ) + link("/wp-login.php?redirect_to=%2Fadmin%2F", "Log in")  # fmt: skip

    def section_page(section: str, page: int) -> str:
        rows = of[section][(page - 1) * 12 : page * 12]
        more = link(f"/{section}/page/{page + 1}/", "Older posts") if page * 12 < len(of[section]) else ""
        body = items((link(path(n), words(n).title()) + f"<p>{prose(n, 1)}</p>" for n in rows), "posts") + more
        return frame(f"{section.title()} {page}", nav, f"<h1>{section}</h1>{body}", foot)

    def article(number: int) -> str:
        here = path(number)
        tags = "".join(link(f"/tag/{words(number + place, 1)}/", words(number + place, 1)) for place in range(2))
        body = (
            f"<h1>{words(number).title()}</h1>{link(f'/author/{words(number % 9, 1)}/', words(number % 9, 1).title())}"
            f"<article>{'<p>' + prose(number, 12) + '</p>'}</article>{tags}"
            f"{link(here + '?share=mail', 'Share')}{link(here + f'?replytocom={number * 3}', 'Reply')}"
            f"{items((link(path(n), words(n).title()) for n in (number + 5, number + 10) if n < articles), 'related')}"
        )
        return frame(words(number).title(), nav, body, foot)

    def page(asked: str) -> Made | None:
        plain = asked.partition("?")[0]
        parts = plain.strip("/").split("/")
        if plain in number_of:
            return article(number_of[plain])
        if parts[0] in of and (len(parts) == 1 or (len(parts) == 3 and parts[1] == "page")):
            return section_page(parts[0], int(parts[2]) if len(parts) == 3 else 1)
        if plain == "/":
            rows = [n for section in sections for n in of[section][:3]]
            return frame("News", nav, items((link(path(n), words(n).title()) for n in rows), "top-stories"), foot)
        if parts[0] == "2026" and len(parts) == 2:
            rows = [n for n in range(articles) if n % 11 + 1 == int(parts[1])][:10]
            return frame("Archive", nav, items((link(path(n), words(n).title()) for n in rows), "month"), foot)
        if parts[0] in ("tag", "author"):
            rows = [n for n in range(articles) if parts[1] in words(n + 1, 2)][:8]
            return frame(parts[1], nav, items((link(path(n), words(n).title()) for n in rows), "tagged"), foot)
        return frame(plain, nav, f"<p>{plain}</p>", foot) if parts[0] in ("about", "contact") else None

    pages = {f"/{section}/page/{page}/" for section in sections for page in range(2, -(-len(of[section]) // 12) + 1)}
    return Web("/", page, {f"/{section}/" for section in sections} | pages, set(number_of))


def people(count: int = 240) -> Web:
    """S2's own kind: query ids, details behind a script, a few of them linked plainly elsewhere."""
    categories = range(1, 7)

    def of(category: int) -> list[int]:
        return [100_300 + n for n in range(count) if n % 6 + 1 == category]

    nav = "".join(link(f"/list.aspx?cate_id={one}&page=1", f"Group {words(one, 1)}") for one in categories)
    foot = link("/help.aspx", "Help") + link("/board/notice.aspx?no=3", "Notice") + link("javascript:goTop()", "Top")

    def page(asked: str) -> Made | None:
        path, _, query = asked.partition("?")
        values = dict(pair.split("=", 1) for pair in query.split("&")) if query else {}
        if path == "/list.aspx":
            category, number = int(values["cate_id"]), int(values.get("page", 1))
            rows = of(category)[(number - 1) * 10 : number * 10]
            pages = "".join(
                link(f"/list.aspx?cate_id={category}&page={n}", str(n))
                for n in range(1, -(-len(of(category)) // 10) + 1)
            )
            sorts = link(f"/list.aspx?cate_id={category}&page={number}&sort=age", "by age")
            people = items((link(f"javascript:show_detail({n})", words(n, 2).title()) for n in rows), "people")
            return frame(
                f"Group {category} page {number}", nav, sorts + people + f"<div class='pages'>{pages}</div>", foot
            )
        if path == "/detail.aspx":
            number = int(values["per_id"])
            recent = items(
                (
                    link(f"/detail.aspx?per_id={n}", words(n, 2).title())
                    for n in (number - 6, number + 6)
                    if 100_300 <= n < 100_300 + count
                ),
                "recent",
            )
            body = f"<h1>{words(number, 2).title()} {number}</h1><p>{prose(number)}</p>{recent}"
            return frame(
                f"{words(number, 2).title()} {number}", nav, body + link(f"/print.aspx?per_id={number}", "Print"), foot
            )
        if path == "/":
            newest = items(
                (link(f"/detail.aspx?per_id={100_300 + n * 9}", words(100_300 + n * 9, 2).title()) for n in range(8)),
                "new",
            )
            return frame("People", nav, newest, foot)
        if path == "/print.aspx":
            return f"<title>Print</title><p>{prose(int(values['per_id']))}</p>"
        return frame("Help", nav, "<p>Help</p>", foot) if path in ("/help.aspx", "/board/notice.aspx") else None

    lists = {f"/list.aspx?cate_id={one}&page={n}" for one in categories for n in range(1, -(-len(of(one)) // 10) + 1)}
    return Web("/", page, lists, {f"/detail.aspx?per_id={100_300 + n}" for n in range(count)})


def flat_shop(count: int = 200) -> Web:
    """Everything at the root: categories, goods and words about the shop all end in .html."""
    categories = ("lamps", "chairs", "kettles", "rugs")

    def path(number: int) -> str:
        return f"/{words(number, 2).replace(' ', '-')}-{number + 1000}.html"

    number_of = {path(number): number for number in range(count)}
    nav = "".join(link(f"/{one}.html", one.title()) for one in categories)
    foot = "".join(link(f"/{one}.html", one.title()) for one in ("about", "imprint", "privacy", "delivery"))

    def page(asked: str) -> Made | None:
        plain, _, query = asked.partition("?")
        values = dict(pair.split("=", 1) for pair in query.split("&")) if query else {}
        name = plain.strip("/").removesuffix(".html")
        if plain in number_of:
            number = number_of[plain]
            buy = link(f"/checkout/cart/add?product={number + 1000}", "Buy")
            body = f"<h1>{words(number, 2).title()} {number}</h1><p>{prose(number)}</p>{buy}"
            return frame(f"{words(number, 2)} {number}", nav, body, foot)
        if name in categories:
            number, goods = int(values.get("p", 1)), [n for n in range(count) if n % 4 == categories.index(name)]
            rows = goods[(number - 1) * 10 : number * 10]
            sort = link(f"{plain}?dir=asc&order=price", "Price")
            after = link(f"{plain}?p={number + 1}", "Next", ' rel="next"') if number * 10 < len(goods) else ""
            cards = items(
                (
                    link(path(n), "") + link(path(n), f"{words(n, 2).title()} {n}")
                    + link(f"/checkout/cart/add?product={n + 1000}", "Buy")
                    for n in rows
                ),
                "goods",
            )  # fmt: skip
            return frame(f"{name} {number}", nav, sort + cards + f"<p class='pager'>{after}</p>", foot)
        if plain == "/" or name in ("about", "imprint", "privacy", "delivery"):
            return frame(name or "Shop", nav, f"<p>{prose(len(name))}</p>", foot)
        return "<title>Cart</title><p>Cart</p>" if plain == "/checkout/cart/add" else None

    pages = {f"/{one}.html?p={n}" for one in categories for n in range(2, count // 40 + 1)}
    return Web("/", page, {f"/{one}.html" for one in categories} | pages, set(number_of))


def forum(topics: int = 150) -> Web:
    """Scripts with parameters, an offset instead of a page, a session in every link, members, reply forms."""
    looks = [0]

    def member(number: int, sid: str) -> str:
        return link(f"/memberlist.php?mode=viewprofile&u={number}&sid={sid}", words(number, 1))

    def page(asked: str) -> Made | None:
        looks[0] += 1
        sid = f"{looks[0] * 7919 % 16**8:08x}a1b2c3d4"
        path, _, query = asked.partition("?")
        values = dict(pair.split("=", 1) for pair in query.split("&")) if query else {}
        nav = link(f"/index.php?sid={sid}", "Index") + link(f"/search.php?sid={sid}", "Search")
        foot = link(f"/ucp.php?mode=login&sid={sid}", "Log in")
        if path in ("/index.php", "/"):
            boards = items(
                (link(f"/viewforum.php?f={f}&sid={sid}", f"Board {words(f, 2)}") for f in range(1, 6)), "boards"
            )
            return frame("Index", nav, boards, foot)
        if path == "/viewforum.php":
            board, start = int(values["f"]), int(values.get("start", 0))
            of = [t for t in range(topics) if t % 5 + 1 == board]
            rows = items(
                (
                    link(f"/viewtopic.php?f={board}&t={t}&sid={sid}", f"{words(t).title()} {t}", ' class="topictitle"')
                    + link(f"/memberlist.php?mode=viewprofile&u={t % 17}&sid={sid}", words(t % 17, 1), ' class="by"')
                    for t in of[start : start + 10]
                ),
                "topics",
            )
            pages = "".join(
                link(f"/viewforum.php?f={board}&start={s}&sid={sid}", str(s // 10 + 1))
                for s in range(10, len(of), 10)
                if s != start
            )
            return frame(f"Board {board} {start}", nav, rows + f"<div class='pages'>{pages}</div>", foot)
        if path == "/viewtopic.php":
            topic, board = int(values["t"]), int(values["f"])
            posts = "".join(
                f"<div class='post'>{member((topic + p) % 17, sid)}<p>{prose(topic * 10 + p, 3)}</p></div>"
                for p in range(6)
            )
            reply = link(f"/posting.php?mode=reply&f={board}&t={topic}&sid={sid}", "Reply")
            return frame(f"{words(topic).title()} {topic}", nav, posts + reply, foot)
        if path == "/memberlist.php":
            return frame(f"Member {values['u']}", nav, f"<p>{words(int(values['u']))}</p>", foot)
        return (
            frame("Other", nav, "<p>Other</p>", foot) if path in ("/search.php", "/ucp.php", "/posting.php") else None
        )

    lists = {f"/viewforum.php?f={f}" for f in range(1, 6)} | {
        f"/viewforum.php?f={f}&start={s}" for f in range(1, 6) for s in range(10, topics // 5, 10)
    }
    return Web("/index.php", page, lists, {f"/viewtopic.php?f={t % 5 + 1}&t={t}" for t in range(topics)})


def board(count: int = 90) -> Web:
    """No address of a detail page stands anywhere: only code leads there, and a person names one page."""

    def page(asked: str) -> Made | None:
        path, _, query = asked.partition("?")
        values = dict(pair.split("=", 1) for pair in query.split("&")) if query else {}
        nav = link("/news/list.do?pageIndex=1", "News") + link("/intro.do", "About") + link("/map.do", "Map")
        if path in ("/", "/intro.do", "/map.do"):
            return frame(path, nav, f"<p>{path}</p>", "")
        if path == "/news/list.do":
            number = int(values["pageIndex"])
            rows = items(
                (
                    f"<a href='#none' onclick=\"fn_view('{n + 500}', 'N'); return false;\">{words(n).title()} {n}</a>"
                    for n in range(count - (number - 1) * 10 - 1, max(-1, count - number * 10 - 1), -1)
                ),
                "rows",
            )
            pages = "".join(
                link(f"/news/list.do?pageIndex={n}", str(n)) for n in range(1, count // 10 + 1) if n != number
            )
            return frame(f"News {number}", nav, rows + f"<div class='paging'>{pages}</div>", "")
        if path == "/news/view.do":
            number = int(values["nttId"])
            body = f"<h1>{words(number - 500).title()}</h1><p>{prose(number)}</p>"
            return (
                frame(f"{words(number - 500).title()} {number}", nav, body, "") if 500 <= number < 500 + count else None
            )
        return None

    lists = {f"/news/list.do?pageIndex={n}" for n in range(1, count // 10 + 1)}
    details = {f"/news/view.do?nttId={n + 500}" for n in range(count)}
    return Web("/", page, lists, details, ["/news/view.do?nttId=567"])


def faceted(count: int = 160) -> Web:
    """Deep sections, pictures without words beside each name, filters that multiply, a second language."""
    sections = ("home/lamps", "home/rugs", "garden/chairs", "garden/pots")
    colours, sizes = ("red", "blue", "green"), ("s", "m", "l")

    def path(number: int) -> str:
        return f"/en/product/{words(number, 3).replace(' ', '-')}-{WORDS[number % 24]}"

    number_of = {path(number): number for number in range(count)}

    def page(asked: str) -> Made | None:
        plain, _, query = asked.partition("?")
        values = dict(pair.split("=", 1) for pair in query.split("&")) if query else {}
        nav = "".join(link(f"/en/shop/{one}/", one.rpartition("/")[2].title()) for one in sections)
        foot = link("/en/info/terms", "Terms") + link("/en/info/privacy", "Privacy") + link("/en/cart", "Cart")
        section = plain.removeprefix("/en/shop/").strip("/")
        if plain in number_of:
            number = number_of[plain]
            picks = items(
                (link(path(n), words(n, 3).title()) for n in ((number + 4) % count, (number + 8) % count)), "also"
            )
            body = f"<h1>{words(number, 3).title()}</h1><p>{prose(number)}</p>{picks}"
            return frame(f"{words(number, 3).title()} {number}", nav, body + link(plain + "?lang=de", "Deutsch"), foot)
        if section in sections:
            goods = [n for n in range(count) if n % 4 == sections.index(section)]
            goods = [n for n in goods if values.get("color") in (None, colours[n % 3])]
            goods = [n for n in goods if values.get("size") in (None, sizes[n % 5 % 3])]
            number = int(values.get("page", 1))
            facets = "".join(link(f"{plain}?color={one}", one) for one in colours) + "".join(
                link(f"{plain}?color={values.get('color', 'red')}&size={one}", one) for one in sizes
            )
            rows = goods[(number - 1) * 12 : number * 12]
            cards = items((f"{link(path(n), '')} {link(path(n), words(n, 3).title())}" for n in rows), "cards")
            more = f"?page={number + 1}" + "".join(f"&{key}={value}" for key, value in values.items() if key != "page")
            after = link(plain + more, "More") if number * 12 < len(goods) else ""
            return frame(f"{section} {values}", nav, f"<div class='facets'>{facets}</div>{cards}{after}", foot)
        known = ("/en/", "/en/info/terms", "/en/info/privacy", "/en/cart")
        return frame(plain, nav, f"<p>{plain}</p>", foot) if plain in known else None

    lists = {f"/en/shop/{one}/" for one in sections} | {
        f"/en/shop/{one}/?page={n}" for one in sections for n in range(2, -(-count // 48) + 1)
    }
    return Web("/en/", page, lists, set(number_of))


def directory(categories: int = 40) -> Web:
    """Lists behind a page of lists, three entries each, in tables, with letters and a printed form of everything."""
    nav = link("/categories", "All categories") + link("/terms", "Terms")

    def page(asked: str) -> Made | None:
        path = asked.partition("?")[0]
        parts = path.strip("/").split("/")
        if path == "/":
            return frame("Directory", nav, f"<p>{prose(1)}</p>", "")
        if path == "/categories":
            rows = "".join(f"<tr><td>{link(f'/cat/{n}', words(n, 2).title())}</td></tr>" for n in range(categories))
            return frame("Categories", nav, f"<table class='all'>{rows}</table>", "")
        if parts[0] == "cat" and len(parts) == 2:
            number = int(parts[1])
            rows = "".join(
                f"<tr id='row{n}'><td>{link(f'/firm/{n:05}.html', words(n, 3).title())}</td>"
                f"<td>{link(f'/map?firm={n:05}', 'Map')}</td></tr>"
                for n in range(number * 3, number * 3 + 3)
            )
            body = f"<table class='firms'>{rows}</table>{link(path + '?print=yes', 'Print')}"
            return frame(f"Category {number}", nav, body, "")
        if parts[0] == "firm":
            number = int(parts[1].removesuffix(".html"))
            return frame(f"{words(number, 3).title()} {number}", nav, f"<p>{prose(number)}</p>", "")
        return frame(path, nav, f"<p>{path}</p>", "") if path in ("/terms", "/map") else None

    lists = {"/categories"} | {f"/cat/{n}" for n in range(categories)}
    return Web("/", page, lists, {f"/firm/{n:05}.html" for n in range(categories * 3)})


WEBS: dict[str, Callable[[], Web]] = {
    "news": news,
    "people": people,
    "flat shop": flat_shop,
    "forum": forum,
    "board": board,
    "faceted shop": faceted,
    "directory": directory,
}
