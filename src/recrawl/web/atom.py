"""Changes as an Atom feed (RFC 4287): one entry a change, with its cursor as identity; a removal is an entry, too."""

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from recrawl.formats.moment import iso
from recrawl.model.event import Event

NAMESPACE = "http://www.w3.org/2005/Atom"
WORDS = {"added": "New", "updated": "Changed", "moved": "Moved", "removed": "Removed", "lost": "Copy lost"}
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def atom(events: Sequence[Event], base: str, site: str = "") -> bytes:
    feed = Element("feed", xmlns=NAMESPACE)
    _text(feed, "id", f"{base}/feed.atom?site={site}" if site else f"{base}/feed.atom")
    _text(feed, "title", f"Changes of {site}" if site else "Changes")
    _text(feed, "updated", iso(max((event.at for event in events), default=0.0)))
    SubElement(_text(feed, "author", ""), "name").text = "recrawl"
    SubElement(feed, "link", rel="self", href=f"{base}/feed.atom")
    for event in events:
        _entry(feed, event, base)
    text: bytes = tostring(feed, encoding="utf-8", xml_declaration=True)
    return text


def _entry(feed: Element, event: Event, base: str) -> None:
    entry = SubElement(feed, "entry")
    _text(entry, "id", f"urn:recrawl:{event.site}:{event.cursor}")
    _text(entry, "title", f"{WORDS.get(event.kind, event.kind.value)}: {event.url}")
    _text(entry, "updated", iso(event.at))
    SubElement(entry, "link", rel="alternate", href=_clean(event.url))
    if event.page is not None:
        SubElement(entry, "link", rel="related", href=f"{base}/page/{event.page}")
    SubElement(entry, "category", term=event.kind.value)
    _text(entry, "summary", summary(event))


def summary(event: Event) -> str:
    if event.share_changed is not None:
        return f"{event.share_changed:.1%} of the text is different."
    target = event.facts.get("target")
    return f"It moved to {target}." if target else f"{WORDS.get(event.kind, event.kind.value)}."


def _text(parent: Element, name: str, text: str) -> Element:
    element = SubElement(parent, name)
    element.text = _clean(text)
    return element


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
