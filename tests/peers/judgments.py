"""Generates judgments that an owner might make about the pages of a site, for `pagekin crawl feedback`.

    pagekin crawl cluster SITE -o crawl --bags content
    pagekin crawl clusters crawl --format csv --min-size 1 > urls.csv
    python judgments.py urls.csv > judged.csv            # or --coin
    pagekin crawl feedback crawl judged.csv

puts at most 10 pages of each folder into a cluster. If nearly all pages are in one folder, families of file names, such as
`sql-*.html`, form the clusters instead. With `--coin` clusters are random, so there is nothing to learn.
"""

import csv
import random
import sys

MAX = 10
COINS = 20


def main():
    random.seed(5)
    with open(sys.argv[1]) as file:
        urls = [line["url"] for line in csv.DictReader(file)]
    folders = {}
    for url in urls:
        folders.setdefault(url.rsplit("/", 1)[0], []).append(url)
    if max(map(len, folders.values())) > 0.9 * len(urls):
        folders = {}
        for url in urls:
            folders.setdefault(url.rsplit("/", 1)[1].split("-")[0], []).append(url)
    out = csv.writer(sys.stdout)
    out.writerow(["url", "cluster"])
    for name, pages in sorted(folders.items()):
        if len(pages) < 3:
            continue
        for url in random.sample(pages, min(MAX, len(pages))):
            coin = random.randrange(COINS)
            out.writerow([url, coin if "--coin" in sys.argv else name])


main()
