"""More small webs, each of a habit that one learner stumbled over."""

from collections.abc import Callable
from urllib.parse import quote, unquote

from tests.unit.scope_patterns.unseen_sites import Made, Web, frame, items, link, prose, words

FOOT = link("/imprint", "Imprint") + link("/contact", "Contact")
PLAIN = ("/imprint", "/contact", "/advice", "/employers", "/about")


def name_of(number: int, count: int = 4) -> str:
    return f"{words(number, count)} {words(number * 17 + 3, 2)}".title()


def podcasts(shows: int = 9) -> Web:
    """One page alone leads to most lists, though their own pages and details lead back to them."""
    length = {f"{words(n, 1)}-{words(n * 5 + 2, 1)}-{n}": 14 + n * 11 % 23 for n in range(shows)}
    nav = link("/", "Home") + link("/shows", "All shows") + link("/about", "About")

    def show_page(show: str, page: int) -> str:
        rows = list(range(length[show], 0, -1))[(page - 1) * 10 : page * 10]
        turn = link(f"/show/{show}?p={page + 1}", "Older") if page * 10 < length[show] else ""
        turn += link(f"/show/{show}", "Newest") if page > 1 else ""
        links = (
            link(f"/show/{show}/episode/{n}", name_of(n + len(show) * 50)) + link(f"/play?show={show}&e={n}", "▶")
            for n in rows
        )
        return frame(show, nav, items(links, "episodes") + turn, FOOT)

    def page(asked: str) -> Made | None:
        path, _, query = asked.partition("?")
        parts = path.strip("/").split("/")
        if path == "/":
            body = items((link(f"/show/{one}", one) for one in list(length)[:4]), "shows")
            latest = (link(f"/show/{one}/episode/{n}", name_of(n)) for one, n in list(length.items())[:5])
            return frame("Podcasts", nav, body + items(latest, "latest"), FOOT)
        if path == "/shows":
            return frame("Shows", nav, items((link(f"/show/{one}", one.title()) for one in length), "shows"), FOOT)
        if parts[0] == "show" and len(parts) == 2 and parts[1] in length:
            return show_page(parts[1], int(query.removeprefix("p=") or 1))
        if parts[0] == "show" and len(parts) == 4:
            number = int(parts[3])
            body = f"<p>{prose(number + len(parts[1]) * 90, 12)}</p>" + link(f"/show/{parts[1]}", parts[1])
            return frame(name_of(number + len(parts[1]) * 50), nav, body + link(path + "/transcript", "Text"), FOOT)
        return frame(path, nav, f"<p>{path}</p>", FOOT) if path in (*PLAIN, "/play") else None

    pages = {f"/show/{one}?p={n}" for one, count in length.items() for n in range(2, -(-count // 10) + 1)}
    details = {f"/show/{one}/episode/{n}" for one, count in length.items() for n in range(1, count + 1)}
    return Web("/", page, {"/shows", *(f"/show/{one}" for one in length)} | pages, details)


def boards() -> Web:
    """Calls name the board as well as the number; of the one example's board alone addresses are seen. What is clicked
    need not be an anchor, and pages are turned by buttons."""
    count = {"notice": 44, "press": 61, "jobs": 28}
    nav = "".join(link(f"/list.do?board={one}", one.title()) for one in count)

    def listed(board: str, page: int) -> str:
        rows = range(1, count[board] + 1)[(page - 1) * 10 : page * 10]
        calls = {n: f"fn_view('{board}', {n * 7}, {page});" for n in rows}
        named = {n: name_of(n + len(board) * 9) for n in rows}
        clicked = (
            f'<b onclick="{calls[n]}">{named[n]}</b>' if n % 2 else link(f"javascript:{calls[n]}", named[n])
            for n in rows
        )
        others = (n for n in range(2, -(-count[board] // 10) + 1) if n != page)
        turn = (
            f"<button onclick=\"location.href='/list.do?board={board}&amp;pageIndex={n}'\">{n}</button>" for n in others
        )
        return frame(f"{board} {page}", nav, items(clicked, "rows") + "".join(turn), FOOT)

    def page(asked: str) -> Made | None:
        path, _, query = asked.partition("?")
        given = dict(pair.split("=") for pair in query.split("&")) if query else {}
        if path == "/list.do":
            return listed(given["board"], int(given.get("pageIndex", 1)))
        if path == "/view.do":
            board, number = given["board"], int(given["id"]) // 7
            if int(given["id"]) % 7 or not 1 <= number <= count[board]:
                return None
            beside = (n for n in (number - 1, number + 1) if 1 <= n <= count[board])
            links = "".join(link(f"/view.do?board={board}&id={n * 7}", name_of(n + len(board) * 9)) for n in beside)
            tools = link(f"javascript:fn_print({number * 7})", "Print")
            body = f"<p>{prose(number + len(board) * 99, 9)}</p>{tools}{links}"
            return frame(name_of(number + len(board) * 9), nav, body, FOOT)
        return frame(path, nav, f"<p>{path}</p>", FOOT) if path in PLAIN else None

    pages = {f"/list.do?board={one}&pageIndex={n}" for one in count for n in range(2, -(-count[one] // 10) + 1)}
    details = {f"/view.do?board={one}&id={n * 7}" for one in count for n in range(1, count[one] + 1)}
    first = {f"/list.do?board={one}" for one in count}
    return Web("/list.do?board=notice", page, first | pages, details, ["/view.do?board=press&id=210"])


def jobs() -> Web:
    """Few sections, some with umlauts or hyphens; rows lead to employers too; the page number stands in the path."""
    count = {"berlin": 67, "münchen": 41, "köln": 38, "essen": 25, "bad-homburg": 30}
    nav = "".join(link(quote(f"/{one}"), one.title()) for one in count) + link("/advice", "Advice")

    def path_of(city: str, number: int) -> str:
        job = words(number + len(city) * 31, 2).replace(" ", "-")
        return quote(f"/{city}/{job}-{10_000 + number * 13 + len(city)}.html")

    found = {path_of(city, n): (city, n) for city in count for n in range(count[city])}

    def listed(city: str, page: int) -> str:
        rows = range(count[city])[(page - 1) * 8 : page * 8]
        links = (
            link(path_of(city, n), name_of(n * 3 + len(city)))
            + link(f"/employer/{words(n, 1)}", words(n, 1).title() + " Ltd")
            + link(f"/keep?job={n}", "☆")
            for n in rows
        )
        last = -(-count[city] // 8)
        turn = (link(quote(f"/{city}/p{n}"), str(n)) for n in range(2, last + 1) if n != page and abs(n - page) < 3)
        around = (link(quote(f"/{city}") + f"?within={n}", f"{n} km") for n in (10, 20, 50))
        return frame(f"{city} {page}", nav, items(links, "jobs") + "".join(turn) + "".join(around), FOOT)

    def page(asked: str) -> Made | None:
        path = asked.partition("?")[0]
        parts = unquote(path).strip("/").split("/")
        if path == "/":
            return frame(
                "Jobs", nav, items((link(quote(f"/{one}"), f"Jobs in {one}") for one in count), "cities"), FOOT
            )
        if path in found:
            city, number = found[path]
            body = f"<p>{prose(number * 7 + len(city), 14)}</p>" + link(f"/apply?job={number}", "Apply")
            return frame(name_of(number * 3 + len(city)), nav, body, FOOT)
        if parts[0] in count:
            number = int(parts[1].removeprefix("p")) if len(parts) > 1 else 1
            return listed(parts[0], number) if (number - 1) * 8 < count[parts[0]] else None
        return frame(path, nav, f"<p>{path}</p>", FOOT) if path in PLAIN or parts[0] in ("employer", "keep") else None

    pages = {quote(f"/{one}/p{n}") for one in count for n in range(2, -(-count[one] // 8) + 1)}
    return Web("/", page, {quote(f"/{one}") for one in count} | pages, set(found))


def handbook(chapters: int = 12) -> Web:
    """Lists end with a slash where details have a name."""
    sections = {f"{words(n, 1)}-guide-{words(n * 3 + 1, 1)}": 6 + n * 5 % 9 for n in range(chapters)}
    nav = items((link(f"/docs/{one}/", one.title()) for one in sections), "tree")
    path_of = {
        f"/docs/{one}/{words(n + place * 7, 2).replace(' ', '-')}-{words(n, 1)}.html": n + place * 40
        for place, (one, count) in enumerate(sections.items())
        for n in range(count)
    }

    def page(asked: str) -> Made | None:
        path = asked.partition("?")[0]
        parts = path.strip("/").split("/")
        if path in ("/", "/docs/"):
            return frame("Docs", nav, items((link(f"/docs/{one}/", one.title()) for one in sections), "all"), FOOT)
        if path in path_of:
            body = f"<p>{prose(path_of[path], 14)}</p>" + link(f"/edit?page={quote(path, safe='')}", "Edit")
            return frame(name_of(path_of[path]), nav, body, FOOT)
        if len(parts) == 2 and parts[1] in sections:
            rows = (link(one, name_of(number)) for one, number in path_of.items() if one.startswith(path))
            return frame(parts[1], nav, items(rows, "sections"), FOOT)
        return frame(path, nav, f"<p>{path}</p>", FOOT) if path in (*PLAIN, "/edit") else None

    return Web("/", page, {f"/docs/{one}/" for one in sections}, set(path_of))


def recipes() -> Web:
    """Everything at the root, some of it with a number: the wider pattern takes the narrower in."""
    kitchens = {"cakes": 70, "soups": 48, "breads": 33}
    nav = "".join(link(f"/kind/{one}", one.title()) for one in kitchens)
    rows = {one: range(place * 100, place * 100 + kitchens[one]) for place, one in enumerate(kitchens)}

    def path_of(number: int) -> str:
        return f"/{words(number, 3).replace(' ', '-')}-{words(number * 29 + 1, 2).replace(' ', '-')}" + (
            f"-{number}" if number % 3 else ""
        )

    number_of = {path_of(number): number for numbers in rows.values() for number in numbers}

    def page(asked: str) -> Made | None:
        path = asked.partition("?")[0]
        parts = path.strip("/").split("/")
        if path == "/":
            return frame("Recipes", nav, items((link(f"/kind/{one}", one.title()) for one in kitchens), "kinds"), FOOT)
        if parts[0] == "kind":
            page = int(parts[2]) if len(parts) > 2 else 1
            last = -(-kitchens[parts[1]] // 12)
            here = rows[parts[1]][(page - 1) * 12 : page * 12]
            turn = (link(f"/kind/{parts[1]}/{n}", str(n)) for n in range(2, last + 1) if n != page)
            body = items((link(path_of(n), name_of(n)) for n in here), "recipes") + "".join(turn)
            return frame(f"{parts[1]} {page}", nav, body, FOOT)
        if path in number_of:
            body = f"<p>{prose(number_of[path], 12)}</p>" + link(path + "/print", "Print")
            return frame(name_of(number_of[path]), nav, body, FOOT)
        return frame(path, nav, f"<p>{path}</p>", FOOT) if path in PLAIN else None

    pages = {f"/kind/{one}/{n}" for one in kitchens for n in range(2, -(-kitchens[one] // 12) + 1)}
    return Web("/", page, {f"/kind/{one}" for one in kitchens} | pages, set(number_of))


STRANGERS: dict[str, Callable[[], Web]] = {
    "podcasts": podcasts,
    "boards": boards,
    "jobs": jobs,
    "handbook": handbook,
    "recipes": recipes,
}
