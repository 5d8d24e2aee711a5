"""Measures whether PageRank would choose other originals of near-duplicates than the number of links does.

    pagekin duplicates SITE --format json > duplicates.json
    pagekin crawl rank SITE --format csv -o ranks.csv
    python originals.py duplicates.json ranks.csv

prints the number of groups of copies and near-duplicates, the number of groups whose page with the highest rank is not the original,
the number of these in which equally many pages link to both, and the first of them.
"""

import csv
import json
import sys

ROOT = "https://localhost"
INDEX = "index.html"


def main():
    with open(sys.argv[1]) as file:
        groups = json.load(file)["groups"]
    with open(sys.argv[2]) as file:
        pages = {line["url"].removeprefix(ROOT): line for line in csv.DictReader(file)}

    def page(url):
        return pages[url.removesuffix(INDEX) if url.endswith("/" + INDEX) else url]

    compared, others, ties = 0, [], 0
    for group in groups:
        copies = [member["url"] for member in group["members"] if member["kind"] != "passages"]
        if not copies:
            continue
        compared += 1
        original = group["original"]
        best = max([original, *copies], key=lambda url: float(page(url)["rank"]))
        if float(page(best)["rank"]) > float(page(original)["rank"]) + 1e-12:
            others.append((original, best))
            ties += page(best)["in_links"] == page(original)["in_links"]
    print(f"{compared} groups; another page in {len(others)}, of which {ties} have as many links to both")
    for original, best in others[:20]:
        print(f"  {original} -> {best}")


if __name__ == "__main__":
    main()
