"""Measures whether CENTER finds better centers in other orders: pages by PageRank, or pairs by similarity.

    pagekin crawl cluster SITE -o crawl --bags content
    pagekin crawl pairs crawl --format csv -o pairs.csv
    pagekin crawl rank SITE --format csv -o ranks.csv
    python center_order.py pairs.csv ranks.csv

prints a table row for each order: the mean, minimum and maximum of 20 random orders of pages; by rank, highest or lowest first; by
the number of pairs; by the sum of similarities; and pairs instead of pages, most similar first, as a crawl is clustered, with the
mean, minimum and maximum of 20 random numberings of the pages. A missing pair counts as similarity 0.
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

    def by_pages(self, order):
        """Runs CENTER over pages and returns the center of each."""
        center = {}
        for url in order:
            if url not in center:
                center[url] = url
                for other in self.others[url]:
                    center.setdefault(other, url)
        return center

    def by_pairs(self, order):
        """Runs CENTER over pairs, most similar first, with pages numbered in this order. Returns the center of each page."""
        number = {url: at for at, url in enumerate(order)}
        pairs = [(-s, number[u], number[v], u, v) for (u, v), s in self.similarity.items() if number[u] < number[v]]
        center = {}
        for _, _, _, u, v in sorted(pairs):
            of_u, of_v = center.get(u), center.get(v)
            if of_u is None and of_v is None:
                center[u] = center[v] = u
            elif of_u == u and of_v is None:
                center[v] = u
            elif of_v == v and of_u is None:
                center[u] = v
        return center

    def measure(self, center):
        """Returns measures of the quality of clusters."""
        members = {}
        for url in sorted(center, key=lambda url: center[url] != url):
            members.setdefault(center[url], []).append(url)
        # The center comes first.
        clusters = [of for of in members.values() if len(of) > 1]
        to_center = [self.between(of[0], other) for of in clusters for other in of[1:]]
        within = [self.between(a, b) for of in clusters for at, a in enumerate(of) for b in of[:at]]
        best = 0
        for of in clusters:
            sums = [sum(self.between(a, b) for b in of if b != a) for a in of]
            best += sums[0] >= max(sums) - 1e-12
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
    rows = {}
    for name, scan in [("random", crawl.by_pages), ("most similar pair first", crawl.by_pairs)]:
        measured = []
        for seed in range(RANDOM):
            order = urls[:]
            random.Random(seed).shuffle(order)
            measured.append(crawl.measure(scan(order)))
        columns = list(zip(*measured))
        rows[f"{name}, mean"] = [sum(column) / RANDOM for column in columns]
        rows[f"{name}, minimum"] = [min(column) for column in columns]
        rows[f"{name}, maximum"] = [max(column) for column in columns]
    orders = {
        "highest rank first": lambda url: -crawl.rank.get(url, 0),
        "lowest rank first": lambda url: crawl.rank.get(url, 0),
        "most pairs first": lambda url: -len(crawl.others[url]),
        "highest similarity first": lambda url: -sum(crawl.between(url, other) for other in crawl.others[url]),
    }
    for name, key in orders.items():
        rows[name] = crawl.measure(crawl.by_pages(sorted(urls, key=lambda url: (key(url), url))))
    print("| order | clusters | their URLs | similarity to the center | within | center is the most similar member |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, (clusters, of, center, within, best) in rows.items():
        print(f"| {name} | {clusters:.0f} | {of:.0f} | {center:.3f} | {within:.3f} | {100 * best:.0f}% |")


if __name__ == "__main__":
    main()
