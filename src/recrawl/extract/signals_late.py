"""Feeds and sitemaps: what reads them comes with the first of them, and many sites have none."""

from typing import Any

from recrawl.model.late import late_module

FEED_TYPES = frozenset({"application/atom+xml", "application/rss+xml", "application/feed+json", "application/rdf+xml"})

_FEED = late_module("recrawl.extract.feed")
_SITEMAP = late_module("recrawl.extract.sitemap")


def read_feed(body: bytes, *most: int) -> Any:
    """A `FeedReading`."""
    return _FEED.read_feed(body, *most)


def read_sitemap(body: bytes, *most: int) -> Any:
    """A `SitemapReading`."""
    return _SITEMAP.read_sitemap(body, *most)
