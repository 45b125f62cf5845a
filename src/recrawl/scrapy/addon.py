"""Two settings lines: the add-on puts the middlewares in their places."""

from scrapy.settings import BaseSettings

from recrawl.scrapy.items import OnlyFromChanges
from recrawl.scrapy.middleware import RevisitMiddleware

# Nearer to the network than compression (590), redirects (600) and cookies (700), so that answers are seen as they
# came; further than the statistics (850), so that these count the requests that were made.
DOWNLOADER_PLACE = 840
SPIDER_PLACE = 950


class Revisit:
    """For `ADDONS`. robots.txt is obeyed unless the project itself says otherwise."""

    def update_settings(self, settings: BaseSettings) -> None:
        settings["DOWNLOADER_MIDDLEWARES"].set(RevisitMiddleware, DOWNLOADER_PLACE, "addon")
        settings["SPIDER_MIDDLEWARES"].set(OnlyFromChanges, SPIDER_PLACE, "addon")
        settings.set("ROBOTSTXT_OBEY", True, "addon")
