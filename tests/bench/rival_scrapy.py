"""Scrapy on the bench site: follows every link of every page, with its job directory on. Runs in its own environment.

python rival_scrapy.py FOLDER MOST PARALLEL SEED...
"""

import sys
from pathlib import Path
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

FOLDER, MOST, PARALLEL, *SEEDS = sys.argv[1:]


class Follower(scrapy.Spider):
    name = "follower"
    start_urls = SEEDS
    allowed_domains = sorted({urlsplit(seed).hostname for seed in SEEDS})
    links = LinkExtractor(canonicalize=False)
    pages = 0

    def parse(self, response):
        Follower.pages += 1
        for link in self.links.extract_links(response):
            yield scrapy.Request(link.url)


process = CrawlerProcess(
    {
        "JOBDIR": str(Path(FOLDER) / "state"),
        "CONCURRENT_REQUESTS": int(PARALLEL) * len(SEEDS),
        "CONCURRENT_REQUESTS_PER_DOMAIN": int(PARALLEL),
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": True,
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
        "CLOSESPIDER_PAGECOUNT": int(MOST),
    }
)
process.crawl(Follower)
process.start()
(Path(FOLDER) / "pages.txt").write_text(str(Follower.pages))
