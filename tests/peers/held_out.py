"""Measures whether related pages find links that were held out.

    python held_out.py copy SITE COPY
    pagekin build COPY -o OUT --related-json [--embeddings FILE]
    python held_out.py find SITE OUT/related.json

copies a site without half of its links, chosen by a hash. Then prints the share of the first five related pages of the copy that
are in the page's folder, that a held-out link connects with the page, and that are linked from a page with a held-out link to the
page. Listings with at least 60 such links, and pages that a quarter of the site links to, are excluded.
"""

import hashlib
import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path, PurePosixPath
from urllib.parse import urljoin

LINK = re.compile(r"(<a\b[^>]*?\bhref=\")([^\"]*)(\")", re.IGNORECASE)
BODY = re.compile(r"<main\b|role=\"main\"", re.IGNORECASE)
LISTING = 60
FIRST = 5


class Site:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.pages = sorted(path.relative_to(folder).as_posix() for path in self.folder.rglob("*.html"))
        self.known = set(self.pages)

    def text(self, page):
        return (self.folder / page).read_text(errors="replace")

    def target(self, page, link):
        """Returns the other page of the site that a link leads to, or None."""
        file = file_of(urljoin("/" + page, re.split("[?#]", link)[0]))
        return file if file in self.known and file != page else None


def file_of(url):
    return url.lstrip("/") + ("index.html" if url.endswith("/") else "")


def is_held_out(page, link):
    return hashlib.sha256(f"{page}\t{link.split('#')[0]}".encode()).digest()[0] % 2 == 0


def copy(site, to):
    for page in site.pages:

        def without(link, page=page):
            is_removed = site.target(page, link[2]) and is_held_out(page, link[2])
            return link[1] + ("#" if is_removed else link[2]) + link[3]

        file = Path(to) / page
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(LINK.sub(without, site.text(page)))


def held_out(site):
    """Returns the targets of the held-out links in the body of each page."""
    links = {}
    for page in site.pages:
        text = site.text(page)
        body = BODY.search(text)
        hrefs = [link[2] for link in LINK.finditer(text, body.start() if body else 0)]
        links[page] = {site.target(page, href) for href in hrefs if is_held_out(page, href)} - {None}
    in_links = Counter(target for targets in links.values() for target in targets)
    rare = {page for page in site.pages if in_links[page] < len(site.pages) / 4}
    return {page: targets & rare for page, targets in links.items() if len(targets) < LISTING}


def find(site, related):
    linked, cocited = defaultdict(set), defaultdict(set)
    for page, targets in held_out(site).items():
        for target in targets:
            linked[page].add(target)
            linked[target].add(page)
            cocited[target] |= targets - {target}
    found, pages = Counter(), 0
    for url, results in json.loads(Path(related).read_text()).items():
        page = file_of(url)
        if not isinstance(results, list) or page not in site.known:
            continue
        pages += 1
        for other in (file_of(of["url"]) for of in results[:FIRST]):
            found["folder"] += PurePosixPath(other).parent == PurePosixPath(page).parent
            found["link"] += other in linked[page]
            found["cocited"] += other in cocited[page]
    shares = [f"{name}@{FIRST} {100 * found[name] / FIRST / pages:.1f}" for name in ("folder", "link", "cocited")]
    print(f"{pages} pages: {', '.join(shares)}")


if __name__ == "__main__":
    what, folder, other = sys.argv[1:]
    {"copy": copy, "find": find}[what](Site(folder), other)
