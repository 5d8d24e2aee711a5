"""Builds an index from pages of a program, without files in between: `pagekin build -`.

>>> with IndexBuilder("public/pagekin") as builder:
...     builder.add_record("/rye/", text="Rye rises slowly.", title="Rye", lang="en")
"""

import json
import os
import subprocess
import tempfile

from pagekin import find_program

__all__ = ["BuildError", "IndexBuilder"]


class BuildError(Exception):
    """The message of the program."""


class IndexBuilder:
    """Hands pages to `pagekin build`. `output` is the folder of the index, which is replaced once
    the new one is complete; `options` are those of the command, such as `--base-url`, `/docs/`.
    `site` is a folder of HTML whose pages are indexed as well. Of pages with the same URL, that of
    the folder counts. Leaving a `with` block writes the index, unless there was an exception."""

    def __init__(self, output, *options, site=None):
        self._printed = tempfile.TemporaryFile("w+", encoding="utf-8")
        self._problems = tempfile.TemporaryFile("w+", encoding="utf-8")
        pages = ["-"] if site is None else [site, "--records", "-"]
        command = [find_program(), "build", *pages, "--output", output, "--json", *options]
        self._program = subprocess.Popen(
            [os.fspath(part) for part in command],
            stdin=subprocess.PIPE,
            stdout=self._printed,
            stderr=self._problems,
            text=True,
            encoding="utf-8",
        )

    def add_record(self, url, **fields):
        """Adds a page by its `html`, or its `text` with `title` and `lang`. `meta`, `filters` and
        `sort` are dictionaries of values, as of the attributes `data-pagekin-meta` and so on."""
        try:
            self._program.stdin.write(json.dumps({"url": url, **fields}) + "\n")
        except BrokenPipeError:
            self.write()

    def add_file(self, url, html):
        """Adds a page by its HTML."""
        self.add_record(url, html=html)

    def write(self):
        """Writes the index. Returns what `pagekin build --json` prints.

        Raises BuildError if a page is not valid."""
        try:
            self._program.stdin.close()
        except BrokenPipeError:
            pass
        code = self._program.wait()
        self._printed.seek(0)
        self._problems.seek(0)
        problems = self._problems.read().strip()
        if code:
            raise BuildError(problems or f"pagekin build ended with exit code {code}")
        return json.loads(self._printed.read())

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.write()
        else:
            self._program.kill()
            self._program.wait()
