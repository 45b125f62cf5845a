"""Tells what region of a page an element opens: main content, article, or the frame around them."""

from functools import lru_cache

from recrawl.model.late import late


class Region:
    """What a run of text stands in: bits that add up on the way down (plain numbers: a flag enum costs ten times)."""

    NONE = 0
    MAIN = 1
    ARTICLE = 2
    FRAME = 4  # by tag or role: navigation, header, footer, aside, search, dialog
    FRAME_LIKE = 8  # by the words of its id and classes only
    NOSCRIPT = 16


_TAGS = {
    "main": Region.MAIN,
    "article": Region.ARTICLE,
    "nav": Region.FRAME,
    "aside": Region.FRAME,
    "footer": Region.FRAME,
    "menu": Region.FRAME,
    "search": Region.FRAME,
    "dialog": Region.FRAME,
    "noscript": Region.NOSCRIPT,
}
_ROLES = {
    "main": Region.MAIN,
    "article": Region.ARTICLE,
    "navigation": Region.FRAME,
    "banner": Region.FRAME,
    "contentinfo": Region.FRAME,
    "complementary": Region.FRAME,
    "search": Region.FRAME,
    "menu": Region.FRAME,
    "menubar": Region.FRAME,
    "toolbar": Region.FRAME,
    "dialog": Region.FRAME,
    "alertdialog": Region.FRAME,
}
_PARTS = late(r"[-_]+")
_WORDS = (
    "ad adsense ads advert advertisement adverts banner banners breadcrumb breadcrumbs consent cookie cookies footer "
    "gdpr gnb lnb masthead menu menubar menus modal nav navbar navi navigation newsletter pager pagination popup promo "
    "recommended related share sharing sidebar sidebars sitemap skip snb social sponsor sponsored subscribe toolbar "
    "topbar trending"
)
FRAME_WORDS = frozenset(_WORDS.split())
FRAME_NAMES = frozenset({"header", "site-header", "page-footer", "bottom", "copyright", "gnb-area"})
# `has-sidebar` and `no-footer` speak of the layout, not of the element
LAYOUT = frozenset({"has", "with", "without", "no", "not", "is", "layout", "js", "hide"})


@lru_cache(maxsize=8192)  # pages of a template use the same few
def region_of(tag: str, role: str | None, names: str, parent: int) -> int:
    """`names`: its id and classes, separated by spaces."""
    region = _TAGS.get(tag, Region.NONE)
    if tag == "header" and not parent & (Region.MAIN | Region.ARTICLE):
        region = Region.FRAME
    if role:
        region |= _ROLES.get(role.strip().lower(), Region.NONE)
    if names and any(_is_frame_name(word) for word in names.lower().split()):
        region |= Region.FRAME_LIKE
    return region


def _is_frame_name(word: str) -> bool:
    parts = _PARTS.split(word)
    return word in FRAME_NAMES or (parts[0] not in LAYOUT and not FRAME_WORDS.isdisjoint(parts))
