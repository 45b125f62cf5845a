"""A list page whose rows or whose date changed: the details it speaks of are looked at, and it is learnt whether it
was right."""

from email.utils import formatdate
from pathlib import Path

from tests.unit.engine.crawls import Crawl, page

from recrawl.answers.reading import reading
from recrawl.engine.hearing.heard import trust_rows
from recrawl.fetch.memory import Canned
from recrawl.model.notice import Source
from recrawl.model.site import Kind, Pattern, Site

BOARD = Site(
    "board",
    ("http://127.0.0.1:1/list",),
    own=("127.0.0.1:1",),
    patterns=(Pattern(Kind.LIST, "/list", "list"), Pattern(Kind.DETAIL, "/item/{id}", "item")),
)
HTML = (("content-type", "text/html; charset=utf-8"),)


class Board:
    """Items by number: their text, and their row in the list."""

    def __init__(self) -> None:
        self.rows = {number: f"Item {number} is on offer" for number in range(8)}
        self.texts = {number: f"The item {number} has been lying on its shelf for years. " * 8 for number in range(8)}
        self.modified = ""

    def answer(self, path: str) -> Canned:
        if path == "/list":
            rows = "".join(f'<li><a href="/item/{number}">{row}</a></li>' for number, row in self.rows.items())
            body = f"<html><head><title>Board</title></head><body><h1>All items</h1><ul>{rows}</ul></body></html>"
            dated = (("last-modified", self.modified),) if self.modified else ()
            return Canned(body.encode(), 200, (*HTML, *dated))
        if path.startswith("/item/"):
            return page(path, self.texts[int(path.rpartition("/")[2])])
        return Canned(b"", 404, ())


def _crawl(tmp_path: Path, board: Board) -> Crawl:
    crawl = Crawl(tmp_path / "crawl", board.answer)
    crawl.add(BOARD)
    assert len(crawl.run()) == 9
    return crawl


def _told(crawl: Crawl) -> dict[str, bool | None]:
    with reading(crawl.folder) as found:
        notices = found.store.notices(limit=100)
    assert {one.source for one in notices} <= {Source.LIST}
    return {"/" + one.url.split("/", 3)[3]: one.proved for one in notices}


def test_rows_that_changed_or_moved_up_lead_to_visits_of_their_pages_alone(tmp_path: Path) -> None:
    board = Board()
    crawl = _crawl(tmp_path, board)
    board.rows[3] = "Item 3 is cheaper now"
    board.rows = {6: board.rows[6], **board.rows}
    board.texts[3] = board.texts[6] = "Something else altogether lies here since this morning, and it is new. " * 8
    crawl.make_due("/list")
    asked = crawl.run()
    assert set(asked) == {"/list", "/item/3", "/item/6"}
    assert _told(crawl) == {"/item/3": True, "/item/6": True}
    with reading(crawl.folder) as found:
        [row] = trust_rows(found.store, "board")
    assert (row["source"], row["wrong"]) == ("list", 0.0)


def test_a_date_that_moved_on_speaks_of_all_rows_within_the_credit_of_a_source_nobody_knows(tmp_path: Path) -> None:
    board = Board()
    board.modified = formatdate(1_600_000_000, usegmt=True)
    crawl = _crawl(tmp_path, board)
    crawl.age()
    board.modified = formatdate(1_600_003_600, usegmt=True)
    crawl.make_due("/list")
    asked = set(crawl.run()) - {"/list"}
    assert len(_told(crawl)) == 8
    assert 5 <= len(asked) <= 8
    crawl.age()
    crawl.make_due("/list")  # the date stands still
    assert crawl.run() == ["/list"]
