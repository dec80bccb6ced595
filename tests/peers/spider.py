#!/usr/bin/env python3
"""Follows sites as many do today: Scrapy fetches, trafilatura extracts. `newslode-lab bench pipeline` measures it.

usage: spider.py --proxy URL [--delay-ms N] SEED...

All links that stay on a seed's host are followed. Of each page trafilatura extracts the article with its metadata;
nothing is stored. Needs Scrapy and trafilatura (requirements.txt).
"""
import argparse
from urllib.parse import urlsplit

import scrapy
import trafilatura
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor


def host(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.")


class News(scrapy.Spider):
    name = "news"

    def __init__(self, seeds, proxy):
        super().__init__()
        self.seeds, self.proxy = seeds, proxy
        self.hosts = {host(seed) for seed in seeds}
        self.links = LinkExtractor()
        self.articles = 0

    def ask(self, url):
        return scrapy.Request(url, meta={"proxy": self.proxy})

    async def start(self):
        for seed in self.seeds:
            yield self.ask(seed)

    def parse(self, response):
        if not isinstance(response, scrapy.http.HtmlResponse):
            return
        found = trafilatura.bare_extraction(response.body, url=response.url, include_comments=False, with_metadata=True)
        self.articles += found is not None
        for link in self.links.extract_links(response):
            if host(link.url) in self.hosts:
                yield self.ask(link.url)

    def closed(self, reason):
        print(f"{self.articles} articles ({reason})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--proxy", required=True)
    parser.add_argument("--delay-ms", type=int, default=0)
    parser.add_argument("seeds", nargs="+")
    args = parser.parse_args()
    process = CrawlerProcess({
        "LOG_LEVEL": "ERROR",
        "ROBOTSTXT_OBEY": True,
        "DOWNLOAD_DELAY": args.delay_ms / 1000,
        "CONCURRENT_REQUESTS": 16,
        "TELNETCONSOLE_ENABLED": False,
    })
    process.crawl(News, seeds=args.seeds, proxy=args.proxy)
    process.start()


if __name__ == "__main__":
    main()
