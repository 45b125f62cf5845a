"""What the reading of documents can be told."""

from recrawl.model.values import dataclass


@dataclass(frozen=True, slots=True)
class ExtractSettings:
    """`images` and `scripts` are off because a crawl of pages needs neither pictures nor `javascript:` links."""

    images: bool = False  # img src and srcset, as relation "image"
    scripts: bool = False  # javascript: addresses and onclick code, as relation "script", unresolved
    forms: bool = False  # GET forms, as relation "form": one link for each choice they offer
    source_bytes: int = 4 * 1024 * 1024  # of a document that are read; it is kept whole all the same
    tags: int = 100_000  # a document is read up to this many
    elements: int = 500_000  # formatting left open may multiply a document to no more than about so many
    link_limit: int = 20_000  # links beyond this many are not read
    href_chars: int = 16_384  # a link that is longer is none
    link_text_chars: int = 200
    text_chars: int = 2_000_000  # visible text beyond this many characters is not read
    node_limit: int = 150_000  # nor is text behind so many elements and pieces of text
    guess_language: bool = True  # by script and charset, where the document does not say


@dataclass(frozen=True, slots=True)
class SignalLimits:
    """How much of what sitemaps and feeds say is listened to."""

    sitemaps: int = 1000  # of one site
    sitemap_depth: int = 3  # an index within an index within an index
    sitemap_entries: int = 50_000  # of one sitemap; the protocol's own limit
    sitemap_bytes: int = 52_428_800  # of one sitemap, unpacked; the protocol's own limit
    feeds: int = 20  # of one site; every article of a blog has a feed of its comments
    feed_entries: int = 5_000  # of one feed
    feed_bytes: int = 16_000_000


DEFAULT = ExtractSettings()
