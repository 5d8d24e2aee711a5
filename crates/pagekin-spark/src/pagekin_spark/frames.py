"""Packed rows: many records of one bucket in a row, and the steps that take and make them.

A step is one query: it reads what lies in Parquet, lets stages work on it one after the other, and
writes Parquet, by kind. So what is lost with an executor costs no more than a part of a step, and
what two steps need is made once. Every stage reports which records it took and made; a step adds
that up, and fails unless each took what the one before it made.
"""

import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import pyarrow.fs as fs
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as f
from pyspark.sql.utils import is_remote

from . import glue
from .places import for_spark, place

try:
    from py4j.protocol import Py4JError
except ImportError:
    # A client of Spark Connect has no Java beside it.
    SPARK_ERRORS: tuple[type[Exception], ...] = (PySparkException,)
else:
    SPARK_ERRORS = (PySparkException, Py4JError)

PACKED = "bucket int, kind string, part int, records bigint, bytes binary"
CONFS = {
    # Batches are made by their bytes: a packed row has some 64 kB, a page up to millions.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(8 << 20),
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
    # A task writes one file of each kind, without sorting by kind before.
    "spark.sql.maxConcurrentOutputFileWriters": "8",
    # Smaller than Snappy, whose library Spark cannot load where musl is installed beside glibc.
    "spark.sql.parquet.compression.codec": "zstd",
}


class JobFailed(Exception):
    """Why there is no result."""


@dataclass(frozen=True)
class Stage:
    """A stage with its options; by bucket, in so many partitions, or of rows in any order."""

    name: str
    options: Sequence[str] = ()
    by_bucket: int | None = None

    def of(self, frame: DataFrame, program: str) -> DataFrame:
        if self.by_bucket:
            frame = by_bucket(frame, self.by_bucket)
        return staged(frame, program, [*self.name.split(), *self.options])


@dataclass(frozen=True)
class Rows:
    """Packed rows, and how many records of each kind there are."""

    frame: DataFrame
    records: Mapping[str, int]
    folder: str = ""

    def only(self, *kinds: str) -> "Rows":
        records = {kind: self.records.get(kind, 0) for kind in kinds}
        return Rows(self.frame.where(f.col("kind").isin(*kinds)), records, self.folder)

    def __add__(self, other: "Rows") -> "Rows":
        records = Counter(self.records)
        records.update(other.records)
        return Rows(self.frame.unionByName(other.frame), records)

    def of(self, kind: str) -> int:
        return self.records.get(kind, 0)


@dataclass
class Step:
    """What a step took, and what it made: records and bytes in Parquet by kind."""

    name: str
    seconds: float = 0
    records: dict[str, int] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)
    # What stages say besides, such as how many pages were skipped, and why.
    others: dict[str, int] = field(default_factory=dict)


@dataclass
class Steps:
    """The steps of a job, with their results below a folder."""

    spark: SparkSession
    folder: str
    program: str
    progress: Callable[[Step], None]
    done: list[Step] = field(default_factory=list)

    def place(self, name: str) -> str:
        """The folder of a step. A URI has no spaces."""
        return f"{self.folder}/{name.replace(' ', '-')}"

    def run(self, name: str, rows: Rows, *stages: Stage) -> Rows:
        """Runs stages over rows; returns what the last one made."""
        frame = rows.frame
        for stage in stages:
            frame = stage.of(frame, self.program)
        return self.store(name, frame, [stage.name for stage in stages], rows.records)

    def store(
        self, name: str, frame: DataFrame, stages: Sequence[str], taken: Mapping[str, int] | None
    ) -> Rows:
        """Writes what stages make, and checks what they say that they took and made."""
        folder = self.place(name)
        write = frame.write.partitionBy("kind").mode("error")
        # The bytes are packed and never the same twice; row groups stay small in memory.
        write = write.option("parquet.enable.dictionary", "false")
        write = write.option("parquet.block.size", str(16 << 20))
        with self.step(name) as step:
            perform(lambda: write.parquet(for_spark(folder)))
            stored = self.spark.read.schema(PACKED).parquet(for_spark(folder))
            reports = added_up(stored.where("kind = 'report'"))
            for stage in stages:
                report = reports.pop(stage, {"in": {}, "out": {}})
                step.others.update(report.get("others", {}))
                if taken is not None and report["in"] != {
                    kind: n for kind, n in taken.items() if n
                }:
                    raise JobFailed(
                        f"of the step {name}, the stage {stage} took other records than there are: "
                        f"expected {dict(taken)}, found {report['in']}"
                    )
                taken = report["out"]
            if reports:
                raise JobFailed(f"expected no reports of {', '.join(reports)} in the step {name}")
            step.records.update(taken or {})
            step.bytes.update(sizes(folder))
        return Rows(stored.where("kind <> 'report'"), step.records, folder)

    @contextmanager
    def step(self, name: str) -> Iterator[Step]:
        start, step = time.monotonic(), Step(name)
        # What the pages and the log of Spark call its jobs.
        self.spark.addTag(tag := f"pagekin {name}".replace(",", ""))
        try:
            yield step
        finally:
            self.spark.removeTag(tag)
        step.seconds = round(time.monotonic() - start, 2)
        self.done.append(step)
        self.progress(step)


def staged(
    frame: DataFrame, program: str, words: Sequence[str], columns: str = PACKED
) -> DataFrame:
    """The rows that a stage makes of others. Spark goes by the places of columns, not by names."""
    names = [column.split()[0] for column in columns.split(", ")]
    return frame.mapInArrow(glue.of_rows(program, words, names), columns)


def numbered(rows: Rows) -> Rows:
    """The same with the number of the first record of each row, counted in the order of buckets and
    parts. The sums are of one number for each row: one task adds them up, as they have one kind.
    By a constant Spark would not divide them at all, and warn of that."""
    before = Window.partitionBy("kind").orderBy("bucket", "part")
    before = before.rowsBetween(Window.unboundedPreceding, -1)
    first = f.coalesce(f.sum("records").over(before), f.lit(0)).alias("first")
    firsts = f.broadcast(rows.frame.select("bucket", "part", first))
    columns = ("bucket", "kind", "part", "records", "bytes", "first")
    return replace(rows, frame=rows.frame.join(firsts, ["bucket", "part"]).select(*columns))


def by_bucket(frame: DataFrame, partitions: int) -> DataFrame:
    """Whole buckets, one behind the other, in the order of kinds and parts within each.

    The number of partitions is given, so that adaptive execution leaves them as they are: buckets
    are about equally large, and a stage needs the memory of one at a time. By number they are dealt
    out evenly; by hash, as before Spark 4.1, some tasks get several and others none.
    """
    if hasattr(frame, "repartitionById"):
        frame = frame.repartitionById(partitions, "bucket")
    else:
        frame = frame.repartition(partitions, "bucket")
    return frame.sortWithinPartitions("bucket", "kind", "part")


def added_up(reports: DataFrame) -> dict[str, dict[str, dict[str, int]]]:
    """Of each stage the records that it took and made, by kind, and what else it says."""
    said = reports.select(
        f.from_json(f.col("bytes").cast("string"), "map<string, string>").alias("said")
    )
    said = said.selectExpr("said['stage'] AS stage", "explode(said) AS (way, text)")
    ways = "way IN ('in', 'out')"
    said = said.where("way <> 'stage'").selectExpr(
        "stage",
        f"if({ways}, way, 'others') AS way",
        f"explode(if({ways}, from_json(text, 'map<string, bigint>'),"
        " map(way, cast(text AS bigint)))) AS (of, n)",
    )
    stages: dict[str, dict[str, dict[str, int]]] = {}
    for stage, way, of, n in said.groupBy("stage", "way", "of").agg(f.sum("n")).collect():
        ways_of = stages.setdefault(stage, {"in": {}, "out": {}, "others": {}})
        if n:
            ways_of[way][of] = n
    return stages


def perform(action: Callable[[], object]) -> object:
    """Runs a query; of what a stage says to its failure that alone is raised."""
    try:
        return action()
    except SPARK_ERRORS as error:
        said = re.findall(r"^.*StageFailed: ((?:.|\n(?!\s+at |\n))*)", str(error), re.MULTILINE)
        missing = re.search(r"No module named '(pyarrow|pandas|pyspark)", str(error))
        if missing:
            raise JobFailed(
                f"expected {missing[1]} in the Python of the workers, found none: install pyspark, "
                "pyarrow and pandas there, or set PYSPARK_PYTHON to a Python that has them"
            ) from error
        if not said:
            raise
        raise JobFailed(said[-1].strip()) from error


def brief(error: Exception) -> str:
    """What Spark says, without where in Spark it was."""
    of_java = getattr(error, "java_exception", None)
    said = str(error) if of_java is None else of_java.toString()
    return re.split(r"\n\s*(?:at |JVM stacktrace|Driver stacktrace)", said)[0].strip()


def sizes(folder: str) -> dict[str, int]:
    """Bytes by kind."""
    files, path = place(folder)
    size: Counter[str] = Counter()
    for info in files.get_file_info(fs.FileSelector(path, recursive=True)):
        if info.type == fs.FileType.File and "/kind=" in info.path:
            size[info.path.split("/kind=")[1].split("/")[0]] += info.size
    return dict(size)


@contextmanager
def configured(spark: SparkSession) -> Iterator[None]:
    """Sets what the steps need, and restores it behind them."""
    before = {name: spark.conf.get(name, None) for name in CONFS}
    try:
        for name, value in CONFS.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, earlier in before.items():
            if earlier is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, earlier)


@contextmanager
def of_this_python(spark: SparkSession) -> Iterator[None]:
    """Tasks on this machine are run by the Python that runs this. Unless PYSPARK_PYTHON is set, Spark
    takes the `python3` of the PATH, which lacks what is installed in an environment of its own."""
    is_told = is_remote() or "PYSPARK_PYTHON" in os.environ
    if is_told or not spark.sparkContext.master.startswith("local"):
        yield
        return
    context = spark.sparkContext
    before, context.pythonExec = context.pythonExec, sys.executable
    try:
        yield
    finally:
        context.pythonExec = before
