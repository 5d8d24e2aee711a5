"""The tables that a job writes."""

import json
import os
from dataclasses import asdict

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from . import digests, places
from .frames import JobFailed, Rows, Steps, perform, staged

MANIFEST = "pagekin.json"
FORMAT = "pagekin-spark 1"
COLUMNS = {
    "pairs": "number bigint, other bigint, thousandths int",
    "urls": "number bigint, url string, title string, fragments bigint",
    "twins": "first bigint, number bigint",
    "centers": "number bigint, center bigint",
}


class Clustering:
    """A clustered crawl: its tables and their numbers of rows."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        self.spark, self.path = spark, places.absolute(path)
        self.manifest: dict = read_manifest(self.path)

    @property
    def counts(self) -> dict[str, int]:
        return self.manifest["counts"]

    @property
    def urls(self) -> DataFrame:
        return self.table("urls")

    @property
    def pairs(self) -> DataFrame:
        """The pairs of URLs that are the first of their twins."""
        return self.table("pairs")

    @property
    def clusters(self) -> DataFrame:
        return self.table("clusters")

    def table(self, name: str) -> DataFrame:
        return self.spark.read.parquet(places.for_spark(f"{self.path.rstrip('/')}/{name}"))

    def all_pairs(self) -> DataFrame:
        """Returns the pairs of all URLs: `url`, `other_url`, `thousandths`. A thousand twins alone
        have half a million pairs."""
        twins = self.urls.select("first", "number", "url")
        others = twins.select(*(f.col(name).alias(f"other_{name}") for name in twins.columns))
        pairs = self.pairs.select("number", "other", "thousandths")
        of_twins = twins.join(others, f.expr("first = other_first AND number < other_number"))
        of_pairs = pairs.withColumnsRenamed({"number": "first", "other": "other_first"})
        of_pairs = of_pairs.join(twins, "first").join(others, "other_first")
        columns = ("url", "other_url", "thousandths")
        of_twins = of_twins.withColumn("thousandths", f.lit(1000)).select(*columns)
        return of_pairs.select(*columns).unionByName(of_twins)

    def digests(self) -> dict[str, str]:
        """Returns the sha256 of all pairs and of all clusters, without Spark."""
        return digests.of_output(self.path)


def check_output(output: str) -> None:
    """Checks that an output folder has no other content and can be replaced."""
    if not places.is_empty(output):
        read_manifest(output)
    if places.is_local(output) and os.path.ismount(places.place(output)[1]):
        raise JobFailed(f"expected a folder that can be replaced, found a mounted one at {output}")


def read_manifest(output: str) -> dict:
    path = f"{output.rstrip('/')}/{MANIFEST}"
    found = "no such file"
    if places.exists(path):
        try:
            manifest = json.loads(places.read(path))
        except ValueError:
            manifest = None
        form = manifest.get("format") if isinstance(manifest, dict) else None
        if form == FORMAT:
            return manifest
        found = f"one of {form}" if form else "another file of that name"
    raise JobFailed(
        f"expected a new folder, or one with {MANIFEST} of {FORMAT}, found {found} in {output}"
    )


def write_tables(
    steps: Steps, folder: str, bags: Rows, twins: Rows, pairs: Rows, centers: Rows
) -> dict[str, int]:
    """Writes urls, pairs and clusters, each from the previous one; returns the numbers of rows."""

    def unpacked(rows: Rows, what: str) -> DataFrame:
        return staged(rows.frame, steps.program, ["unpack", what], COLUMNS[what])

    def write(name: str, frame: DataFrame, *order: str) -> DataFrame:
        place = places.for_spark(f"{folder}/{name}")
        ordered = frame.sortWithinPartitions(*order)
        with steps.step(f"table {name}") as step:
            perform(lambda: ordered.write.parquet(place))
            table = steps.spark.read.parquet(place)
            step.records[name] = counts[name] = table.count()
            step.bytes[name] = places.size(f"{folder}/{name}")
        return table

    counts: dict[str, int] = {}
    first, center = f.coalesce("first", "number"), f.coalesce("center", "first", "number")
    urls = unpacked(bags, "urls").join(unpacked(twins, "twins"), "number", "left")
    urls = urls.join(unpacked(centers, "centers"), "number", "left")
    described = ("number", "url", "title", "fragments", first.alias("first"))
    urls = write("urls", urls.select(*described, center.alias("center")), "number")

    named = urls.select("number", "url")
    similar = unpacked(pairs, "pairs").join(named, "number")
    similar = similar.join(named.toDF("other", "other_url"), "other")
    similarity = (f.col("thousandths") / 1000).alias("similarity")
    similar = similar.select("url", "other_url", similarity, "thousandths", "number", "other")
    write("pairs", similar, "number", "other")
    for name, rows, kind in (("urls", bags, "bags"), ("pairs", pairs, "pairs")):
        if counts[name] != rows.of(kind):
            raise JobFailed(f"expected {rows.of(kind)} rows in {name}, found {counts[name]}")

    sizes = urls.groupBy("center").agg(f.count("*").alias("size")).where("size > 1")
    sizes = sizes.join(named.toDF("center", "center_url"), "center")
    members = urls.select("center", "number", "url").join(sizes, "center")
    members = members.select("center_url", "url", "center", "number", "size")
    table = write("clusters", members, "center", "number")
    counts["clustered"] = counts.pop("clusters")
    counts["clusters"] = table.where("number = center").count()
    counts["twins"] = urls.where("number <> first").count()
    return counts


def describe(folder: str, counts: dict[str, int], options: dict, steps: Steps) -> None:
    """Writes the manifest, which marks a folder as complete."""
    from . import __version__

    manifest = {"format": FORMAT, "version": __version__, "options": options, "counts": counts}
    manifest["steps"] = [asdict(step) for step in steps.done]
    places.write(f"{folder}/{MANIFEST}", json.dumps(manifest, indent=1) + "\n")
