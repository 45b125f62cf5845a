"""Scrapy with its defaults and robots.txt obeyed, following every link. Runs in an environment of its own.

python scrapy_spider.py OUTPUT SEED TIMEOUT_S
"""

import sys
from pathlib import Path
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

OUTPUT, SEED, TIMEOUT_S = sys.argv[1:]
kept = Path(OUTPUT).open("a", encoding="utf-8")  # noqa: SIM115 — open to the end of the process


class Follower(scrapy.Spider):
    name = "follower"
    start_urls = (SEED,)
    allowed_domains = (urlsplit(SEED).hostname,)
    links = LinkExtractor()

    def parse(self, response):
        kept.write(response.url + "\n")
        kept.flush()
        if isinstance(response, scrapy.http.TextResponse):
            for link in self.links.extract_links(response):
                yield scrapy.Request(link.url)


settings = {"ROBOTSTXT_OBEY": True, "LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False, "DOWNLOAD_DELAY": 0}
process = CrawlerProcess({**settings, "DOWNLOAD_TIMEOUT": float(TIMEOUT_S)})
process.crawl(Follower)
process.start()
