"""recrawl inside a Scrapy project: your spider, but only for pages that are due (extra `scrapy`).

    ADDONS = {"recrawl.scrapy.Revisit": 500}
    RECRAWL_FOLDER = "crawl"

Comes in: the requests of a spider, and the answers to them. Goes out: a request is made only for a page that is due,
with the condition under which the kept copy would be confirmed; for all others, and for a 304, the spider gets the
kept copy without a request, so that it still finds its way through the links. Every answer goes into the folder: visit,
verdict, version, belief, next due time; `recrawl changes`, `why`, `history`, `diff` and `search` work on it.

Always holds: a request that is not a plain GET, or whose `meta["recrawl"]` is False, is left alone; a request that
Scrapy makes again after a failure is made; what a spider's callback gets is a whole answer, never a bare 304.
"""

from recrawl.scrapy.addon import Revisit

__all__ = ["Revisit"]
