"""How numbers and moments read in a browser."""

from datetime import UTC, datetime

from markupsafe import Markup, escape

from recrawl.formats import duration
from recrawl.formats.moment import iso


def day_and_time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")


def when(at: float | None) -> Markup:
    """A moment, UTC, readable by machines too."""
    if at is None:
        return Markup("never")
    return Markup('<time datetime="{}">{}</time>').format(iso(at), day_and_time(at))


def away(at: float | None, now: float) -> Markup:
    """A moment as distance from now, with the moment itself in its title."""
    if at is None:
        return Markup("never")
    distance = duration.render(abs(at - now))
    text = "now" if abs(at - now) < 1 else f"in {distance}" if at > now else f"{distance} ago"
    return Markup('<time datetime="{}" title="{} UTC">{}</time>').format(iso(at), day_and_time(at), text)


def span(seconds: float | None) -> str:
    return "not known" if seconds is None else duration.render(seconds)


def size(count: float) -> str:
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if count < 1000 or unit == "TB":
            return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return ""


def percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def number(value: float) -> str:
    """Thousands apart."""
    return f"{value:,.0f}".replace(",", "\u202f")


def shown(url: str) -> Markup:
    """An address that may break at its slashes."""
    return Markup("/<wbr>").join(escape(part) for part in url.split("/"))
