"""Does CENTER find better centers if pages are scanned in the order of their PageRank?

    pagekin cluster SITE -o crawl --bags content
    pagekin pairs crawl --format csv -o pairs.csv
    pagekin rank SITE --format csv -o ranks.csv
    python center_order.py pairs.csv ranks.csv

prints a row of a table for each order: of 20 random ones the mean, the least and the most, as a crawl scans in the order of
a hash; and by rank, the highest or the lowest first; by the number of pairs; and by their similarities together. A pair that
is not known counts as a similarity of 0.
"""

import csv
import random
import sys

RANDOM = 20


class Crawl:
    def __init__(self, pairs, ranks):
        self.others, self.similarity = {}, {}
        with open(pairs) as file:
            for line in csv.DictReader(file):
                u, v = line["url"], line["other_url"]
                self.others.setdefault(u, []).append(v)
                self.others.setdefault(v, []).append(u)
                self.similarity[u, v] = self.similarity[v, u] = float(line["similarity"])
        with open(ranks) as file:
            self.rank = {line["url"]: float(line["rank"]) for line in csv.DictReader(file)}

    def between(self, u, v):
        return self.similarity.get((u, v), 0)

    def clusters(self, order):
        """CENTER: the members of each center, with the center first."""
        center = {}
        for url in order:
            if url not in center:
                center[url] = url
                for other in self.others[url]:
                    center.setdefault(other, url)
        members = {}
        for url in sorted(center, key=lambda url: center[url] != url):
            members.setdefault(center[url], []).append(url)
        return [of for of in members.values() if len(of) > 1]

    def measure(self, order):
        clusters = self.clusters(order)
        to_center = [self.between(of[0], other) for of in clusters for other in of[1:]]
        within = [self.between(a, b) for of in clusters for at, a in enumerate(of) for b in of[:at]]
        best = 0
        for of in clusters:
            likeness = [sum(self.between(a, b) for b in of if b != a) for a in of]
            best += likeness[0] >= max(likeness) - 1e-12
        return [
            len(clusters),
            sum(map(len, clusters)),
            sum(to_center) / len(to_center),
            sum(within) / len(within),
            best / len(clusters),
        ]


def main():
    crawl = Crawl(*sys.argv[1:3])
    urls = sorted(crawl.others)
    shuffled = []
    for seed in range(RANDOM):
        order = urls[:]
        random.Random(seed).shuffle(order)
        shuffled.append(crawl.measure(order))
    columns = list(zip(*shuffled))
    rows = {
        "random, mean": [sum(column) / RANDOM for column in columns],
        "random, least": [min(column) for column in columns],
        "random, most": [max(column) for column in columns],
    }
    orders = {
        "highest rank first": lambda url: -crawl.rank.get(url, 0),
        "lowest rank first": lambda url: crawl.rank.get(url, 0),
        "most pairs first": lambda url: -len(crawl.others[url]),
        "most similar first": lambda url: -sum(crawl.between(url, other) for other in crawl.others[url]),
    }
    for name, key in orders.items():
        rows[name] = crawl.measure(sorted(urls, key=lambda url: (key(url), url)))
    print("| order | clusters | their URLs | similarity to the center | within | center is the most similar member |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, (clusters, of, center, within, best) in rows.items():
        print(f"| {name} | {clusters:.0f} | {of:.0f} | {center:.3f} | {within:.3f} | {100 * best:.0f} % |")


if __name__ == "__main__":
    main()
