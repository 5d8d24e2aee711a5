"""The HTML files of a folder, for the scripts beside."""

import os
from urllib.parse import unquote, urljoin, urlparse

from lxml import html


def read(root):
    """Of each page its path, its text without menus that are marked as such, and its links: where to, and their texts."""
    for folder, _, files in os.walk(root):
        for file in sorted(files):
            if not file.endswith((".html", ".htm")):
                continue
            path = "/" + os.path.relpath(os.path.join(folder, file), root)
            tree = html.parse(root + path, html.HTMLParser(encoding="utf-8")).getroot()
            if tree is None:
                continue
            for element in tree.xpath("//script|//style|//nav|//head"):
                element.drop_tree()
            links = [
                (unquote(urlparse(urljoin(path, link.get("href"))).path), link.text_content())
                for link in tree.xpath("//a[@href]")
            ]
            yield path, " ".join(tree.itertext()), links
