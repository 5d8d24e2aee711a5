"""Prints the pairs that `pagekin crawl stream` reports for the pages of a site, some of which are published twice.

    python tests/peers/repeats.py SITE_DIR target/release/pagekin

600 pages, drawn with a fixed seed, are published one per minute. 30 of them are published again up to ten hours later on another
host. Every other one of these lacks up to three tenths of its paragraphs.
"""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

PAGES, REPEATS, HOURS = 600, 30, 10
PARAGRAPH = re.compile(r"<p\b.*?</p>", re.S | re.I)


def without_some(html, part, draw):
    """Returns the page without a random share of its paragraphs."""
    spans = [found.span() for found in PARAGRAPH.finditer(html)]
    for start, end in sorted(draw.sample(spans, int(part * len(spans))), reverse=True):
        html = html[:start] + html[end:]
    return html


def stream(site):
    """Returns the lines in chronological order."""
    draw = random.Random(29)
    pages = []
    for path in draw.sample(sorted(site.rglob("*.html")), k=len(list(site.rglob("*.html")))):
        html = path.read_text(errors="replace")
        if len(PARAGRAPH.findall(html)) >= 4:
            pages.append((path.relative_to(site).as_posix(), html))
        if len(pages) == PAGES:
            break
    lines = [(60 * at, f"https://first.example/{name}", html) for at, (name, html) in enumerate(pages)]
    for number, at in enumerate(sorted(draw.sample(range(len(pages)), REPEATS))):
        name, html = pages[at]
        if number % 2:
            html = without_some(html, draw.uniform(0, 0.3), draw)
        lines.append((60 * at + draw.randrange(60, 3600 * HOURS), f"https://second.example/{name}", html))
    return sorted(lines)


def main():
    site, program = Path(sys.argv[1]), sys.argv[2]
    start = 1_700_000_000
    lines = "".join(
        json.dumps({"url": url, "published": start + time, "html": html}) + "\n"
        for time, url, html in stream(site)
    )
    for threshold in ["0.7", "0.9"]:
        command = [program, "crawl", "stream", "-", "--threshold", threshold, "--quiet"]
        output = subprocess.run(command, input=lines, capture_output=True, text=True, check=True).stdout
        pairs = [json.loads(line) for line in output.splitlines()]
        page = lambda url: url.split("/", 3)[3]
        repeats = {pair["url"] for pair in pairs if page(pair["url"]) == page(pair["earlier"])}
        others = [(page(p["url"]), page(p["earlier"])) for p in pairs if page(p["url"]) != page(p["earlier"])]
        print(f"--threshold {threshold}: {len(repeats)} of {REPEATS} repeats, {len(others)} other pairs")
        for one, other in others[:5]:
            print(f"    {one}  {other}")


main()
