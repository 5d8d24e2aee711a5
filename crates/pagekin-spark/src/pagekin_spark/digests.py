"""Computes the sha256 of all pairs and of all clusters, to compare results of different origin.

This does not need Spark. Tables are read in batches, and lines are sorted in parts on disk. Only
URLs with the same bag as another URL are in memory.
"""

import heapq
import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from hashlib import sha256
from itertools import combinations, islice, product
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from . import places
from .frames import JobFailed

# Number of lines that are sorted at a time, in about 200 MB.
LINES_OF_PART = 1 << 20


def of_output(folder: str) -> dict[str, str]:
    """Returns the digests of an output of this package."""
    tables = {
        name: ds.dataset(path, filesystem=files, format="parquet")
        for name in ("urls", "pairs", "clusters")
        for files, path in [places.place(f"{folder.rstrip('/')}/{name}")]
    }
    clusters = rows(tables["clusters"], "center_url", "url")
    return {
        "pairs": digest(pairs_of_all(tables["urls"], tables["pairs"])),
        "clusters": digest(f"{center}\t{url}\n".encode() for center, url in clusters),
    }


def of_crawl(program: Path, crawl: str) -> dict[str, str]:
    """Returns the digests of an output of `pagekin crawl cluster`, as printed by the program."""
    pairs, clusters = (printed(program, what, crawl) for what in ("pairs", "clusters"))
    return {
        "pairs": digest(
            line(pair["url"], pair["other_url"], round(1000 * pair["similarity"])) for pair in pairs
        ),
        "clusters": digest(
            f"{cluster['center']}\t{url}\n".encode()
            for cluster in clusters
            for url in [cluster["center"], *cluster["members"]]
        ),
    }


def pairs_of_all(urls: ds.Dataset, pairs: ds.Dataset) -> Iterator[bytes]:
    """Yields the stored pairs, the same pairs for all twins of both URLs, and the pairs between
    twins."""
    of_others = rows(urls, "first", where=pc.field("number") != pc.field("first"))
    firsts = pa.array({first for first, in of_others}, pa.int64())
    twins: dict[int, list[str]] = {}
    for first, url in rows(urls, "first", "url", where=pc.field("first").isin(firsts)):
        twins.setdefault(first, []).append(url)
    for group in twins.values():
        for url, other in combinations(group, 2):
            yield line(url, other, 1000)
    columns = ("number", "other", "url", "other_url", "thousandths")
    for number, other_number, first, other_first, thousandths in rows(pairs, *columns):
        of_both = twins.get(number, [first]), twins.get(other_number, [other_first])
        for url, other in product(*of_both):
            yield line(url, other, thousandths)


def rows(table: ds.Dataset, *columns: str, where: pc.Expression | None = None) -> Iterator[tuple]:
    for batch in table.to_batches(columns=list(columns), filter=where):
        yield from zip(*(column.to_pylist() for column in batch.columns))


def printed(program: Path, what: str, crawl: str) -> Iterator[dict]:
    """Yields the lines that a command of the program prints."""
    command = [os.fspath(program), "crawl", what, crawl, "--format", "jsonl", "--no-config"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout
        yield from map(json.loads, child.stdout)
    if child.returncode:
        raise JobFailed(f"expected an earlier output, or a clustered crawl, in {crawl}")


def line(url: str, other: str, thousandths: int) -> bytes:
    first, second = sorted((url.encode(), other.encode()))
    return b"%s\t%s\t%d\n" % (first, second, thousandths)


def digest(lines: Iterable[bytes]) -> str:
    """Returns the sha256 of lines, sorted by their bytes. No line is a prefix of another, because
    all have the same number of tabs, with numbers last."""
    left, sha = iter(lines), sha256()
    with tempfile.TemporaryDirectory(prefix="pagekin-spark-") as folder, ExitStack() as opened:
        parts = []
        while part := sorted(islice(left, LINES_OF_PART)):
            parts.append(opened.enter_context(open(f"{folder}/{len(parts)}", "w+b")))
            parts[-1].writelines(part)
            parts[-1].seek(0)
        for each in heapq.merge(*parts):
            sha.update(each)
    return sha.hexdigest()
