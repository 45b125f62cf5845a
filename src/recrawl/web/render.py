"""Templates with everything escaped, and what they may call."""

from collections.abc import Callable
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from recrawl.web import words
from recrawl.web.desk import Desk

NAVIGATION = (
    ("/", "Overview"),
    ("/sites", "Sites"),
    ("/changes", "Changes"),
    ("/search", "Search"),
    ("/week", "Week"),
    ("/figures", "Figures"),
    ("/plan", "Plan"),
    ("/records", "Records"),
    ("/errors", "Errors"),
)


def templates() -> Environment:
    found = Environment(
        loader=PackageLoader("recrawl.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Callable[..., Any]] = {
        "when": words.when,
        "span": words.span,
        "size": words.size,
        "percent": words.percent,
        "number": words.number,
        "shown": words.shown,
        "drawing": Markup,  # for the charts alone: they escape what they are given
    }
    found.filters.update(filters)
    return found


def desk_of(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


def show(request: Request, name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """One page; `now`, the navigation and whether writing is possible are known to every template."""
    now = desk_of(request).now()
    environment: Environment = request.app.state.templates
    text = environment.get_template(name).render(
        now=now,
        away=lambda at: words.away(at, now),
        navigation=NAVIGATION,
        here=request.url.path,
        writable=bool(request.app.state.settings.token),
        **values,
    )
    return HTMLResponse(text, status)
