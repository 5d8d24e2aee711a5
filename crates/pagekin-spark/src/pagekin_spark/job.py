"""The job of `pagekin crawl cluster` on Spark: its steps in order."""

import re
import sys
import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from pyspark import cloudpickle
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from . import center, glue, places
from .frames import (
    PACKED,
    SPARK_ERRORS,
    JobFailed,
    Rows,
    Stage,
    Step,
    Steps,
    brief,
    configured,
    numbered,
    of_this_python,
    staged,
)
from .outputs import MANIFEST, Clustering, check_output, describe, write_tables
from .shipping import default, ship

# Executors then do not need this package.
cloudpickle.register_pickle_by_value(sys.modules[__package__])

COLUMNS = ("url", "title", "text", "html", "lang", "links")
# Number of URLs whose signatures and bags are in one bucket.
URLS_OF_BUCKET = 1 << 14
SIZE = re.compile("0*[1-9][0-9]*([kmg](ib)?)?", re.IGNORECASE)
FORMATS = {"warc": r"\.(warc|wet|wat)(\.gz)?$", "jsonl": r"\.(jsonl|ndjson|json)(\.gz)?$"}


def of_stages(option: str) -> Any:
    """Returns a field with the default of an option of the stages."""
    return field(default_factory=lambda: default(option))


@dataclass(frozen=True)
class Options:
    """Options of a job. Options of `pagekin crawl cluster` have the same names and defaults here."""

    threshold: float = of_stages("threshold")
    bags: str = of_stages("bags")
    lang: str = of_stages("lang")
    preset: str = of_stages("preset")
    seed: int = of_stages("seed")
    max_page_bytes: str = of_stages("max_page_bytes")
    values: int | None = None
    tables: int | None = None
    # Approximate size of a bucket of signatures that are compared.
    bucket_bytes: str = of_stages("bucket_bytes")
    # Maximum rounds of CENTER, and number of live pairs that one task decides.
    rounds: int = 30
    tail: int = 10_000_000
    # Tasks of a step: four per core, unless spark.sql.shuffle.partitions is set.
    partitions: int | None = None
    # Parts that URLs are divided into by hash, at most about 100,000 URLs each.
    buckets: int = 256
    # Folder for the rows of steps. By default next to the output; required if Spark cannot write to
    # the store of the output.
    work: str | None = None

    def __post_init__(self) -> None:
        def check(name: str, is_sound: bool, expected: str) -> None:
            if not is_sound:
                raise JobFailed(f"expected {expected} for {name}, found {getattr(self, name)!r}")

        check("threshold", 0 < self.threshold <= 1, "a number above 0 and up to 1")
        check("bags", self.bags in ("content", "anchor", "both"), "content, anchor or both")
        check("preset", self.preset in ("web", "paper"), "web or paper")
        check("threshold", round(1000 * self.threshold) >= 1, "0.001 or more")
        check("seed", 0 <= self.seed < 1 << 64, "0 or more, in 64 bits")
        check("values", self.values is None or 1 <= self.values <= 8, "1 to 8")
        check("tables", self.tables is None or 1 <= self.tables <= 1024, "1 to 1024")
        for size in ("bucket_bytes", "max_page_bytes"):
            check(size, SIZE.fullmatch(getattr(self, size)) is not None, "a size such as 8M")
        check("rounds", self.rounds >= 0, "0 or more")
        check("tail", self.tail >= 0, "0 or more")
        check("partitions", self.partitions is None or self.partitions > 0, "1 or more")
        check("buckets", 0 < self.buckets <= 65_536, "1 to 65,536")


def cluster(spark: SparkSession, pages: DataFrame, output: str, **options) -> Clustering:
    """Clusters the pages of a frame with a column `url` and optional columns `title`, `text`,
    `html`, `lang` and `links`. See `Options` and the README."""

    def fragments(program: str, words: Sequence[str]) -> DataFrame:
        return staged(pages.select(*columns), program, words)

    columns = columns_of(pages)
    return run(spark, fragments, "pages", output, **options)


def cluster_files(
    spark: SparkSession, paths: str | Sequence[str], output: str, format: str = "auto", **options
) -> Clustering:
    """Clusters the pages of files, or of all files below folders: WARC, WET, JSONL, or Parquet with
    the columns of `cluster`."""
    paths = [places.absolute(path) for path in ([paths] if isinstance(paths, str) else paths)]
    for path in paths:
        if not places.exists(path):
            raise JobFailed(f"expected a file or folder as input, found nothing at {path}")
    files = [file for path in paths for file in places.below(path)]
    form = form_of(files) if format == "auto" else format
    if form == "parquet":
        try:
            frame = spark.read.parquet(*(places.for_spark(path) for path in paths))
        except SPARK_ERRORS as error:
            expected = f"expected Parquet in {', '.join(paths)}"
            raise JobFailed(f"{expected}; Spark reports: {brief(error)}") from error
        return cluster(spark, frame, output, **options)
    if form not in FORMATS:
        raise JobFailed(f"expected auto, parquet, jsonl or warc for format, found {form!r}")

    def fragments(program: str, words: Sequence[str]) -> DataFrame:
        # One number, and so one file, per partition.
        numbers = spark.range(0, len(files), 1, len(files))
        return numbers.mapInArrow(glue.of_files(program, words, files), PACKED)

    return run(spark, fragments, "file", output, **options)


def run(
    spark: SparkSession,
    fragments: Callable[[str, Sequence[str]], DataFrame],
    form: str,
    output: str,
    *,
    progress: Callable[[Step], None] = lambda _: None,
    **options,
) -> Clustering:
    opts = Options(**options)
    check_version(spark.version)
    output = places.absolute(output)
    check_output(output)
    own = f"making-{uuid.uuid4().hex[:12]}"
    beside = f"{output.rstrip('/')}.{own}"
    work = f"{places.absolute(opts.work).rstrip('/')}/{own}" if opts.work else beside
    made = f"{work if places.is_store(output) else beside}/made"
    try:
        with configured(spark), of_this_python(spark):
            steps = Steps(spark, f"{work}/steps", ship(spark), progress)
            counts = Job(steps, opts).run(fragments, form, made)
            describe(made, counts, asdict(opts), steps)
            places.publish(made, output, MANIFEST)
    finally:
        places.remove(beside)
        places.remove(work)
    return Clustering(spark, output)


class Job:
    """The steps of a job."""

    def __init__(self, steps: Steps, options: Options) -> None:
        self.steps, self.options = steps, options
        self.partitions = options.partitions or parallelism(steps.spark)

    def run(
        self,
        fragments: Callable[[str, Sequence[str]], DataFrame],
        form: str,
        folder: str,
    ) -> dict[str, int]:
        """Writes the tables to a folder; returns their numbers of rows."""
        collapsed = self.collapsed(fragments, form)
        bags = self.bags(collapsed)
        slices = bags.of("bags") // URLS_OF_BUCKET + 1
        bucketed = min(self.partitions, slices)
        sign = ["--slices", str(slices), *self.seeded()]
        signed = self.steps.run(
            "signatures",
            bags,
            Stage("sign", sign),
            Stage("twins", ["--preset", self.options.preset], bucketed),
        )
        pairs = self.pairs(signed, bucketed)
        centers = center.centers(
            self.steps,
            pairs,
            signed.only("twins"),
            bucketed,
            self.options.rounds,
            self.options.tail,
            self.options.preset != "paper",
        )
        return write_tables(self.steps, folder, bags, signed.only("twins"), pairs, centers)

    def collapsed(self, fragments: Callable[[str, Sequence[str]], DataFrame], form: str) -> Rows:
        """Merges the fragments of pages by URL."""
        options, steps = self.options, self.steps
        words = [
            "fragments",
            "--input",
            form,
            "--buckets",
            str(max(options.buckets, self.partitions)),
        ]
        words += ["--bags", options.bags, "--lang", options.lang]
        words += ["--max-page-bytes", options.max_page_bytes]
        collapse = Stage("collapse", by_bucket=self.partitions)
        frame = collapse.of(fragments(steps.program, words), steps.program)
        collapsed = steps.store("urls", frame, ["fragments", "collapse"], None)
        if not collapsed.of("urls"):
            why = ", ".join(f"{n:,} {reason}" for reason, n in self.skipped().items())
            found = f"none; skipped: {why}" if why else "none"
            raise JobFailed(f"expected pages with URLs of http or https, found {found}")
        return collapsed

    def bags(self, collapsed: Rows) -> Rows:
        """Builds bags, with the number of the first URL of each row."""
        urls = collapsed.only("urls")
        copies = self.steps.run(
            "copies", collapsed.only("texts"), Stage("copies", by_bucket=self.partitions)
        ).only("copies")
        numbers = ["--mentioned", str(urls.of("urls")), "--copies", str(copies.of("copies"))]
        numbers += ["--preset", self.options.preset]
        frequencies = self.steps.run(
            "frequencies",
            urls + copies,
            Stage("terms", by_bucket=self.partitions),
            Stage("frequencies", numbers, self.partitions),
        )
        file = glue.Bytes(f"{frequencies.folder}/kind=frequencies")
        words = [*numbers, "--frequencies", file]
        bags = self.steps.run("bags", urls, Stage("bags", words)).only("bags")
        if not bags.of("bags"):
            raise self.no_bags()
        return numbered(bags)

    def no_bags(self) -> JobFailed:
        found = "expected words that at least two URLs share, found none"
        if self.options.bags == "content":
            return JobFailed(found)
        return JobFailed(f"{found} in titles and links; to compare texts, set bags to content")

    def pairs(self, signed: Rows, bucketed: int) -> Rows:
        """Finds all pairs of similar URLs by signatures."""
        rows, groups = signed.only("rows"), signed.only("groups")
        threshold = ["--threshold", str(self.options.threshold)]
        candidates = self.candidates(rows, threshold)
        met = self.steps.run("meeting", candidates + groups, Stage("meet", threshold, bucketed))
        verified = self.steps.run(
            "pairs", met.only("halves") + groups, Stage("verify", threshold, bucketed)
        )
        return met.only("pairs") + verified.only("pairs")

    def candidates(self, rows: Rows, threshold: Sequence[str]) -> Rows:
        """Finds different signatures that share a key in a table."""
        if rows.of("rows") < 2:
            return Rows(rows.frame.where("false"), {})
        size = ["--rows", str(rows.of("rows"))]
        choose = [*size, *threshold, *self.seeded(), "--bucket-bytes", self.options.bucket_bytes]
        for name in ("values", "tables"):
            if (number := getattr(self.options, name)) is not None:
                choose += [f"--{name}", str(number)]
        planned = self.steps.run(
            "plan",
            rows,
            Stage("sample", [*size, "--seed", str(self.options.seed)]),
            Stage("plan", choose, 1),
        )
        plan = ["--plan", bytes(planned.frame.select("bytes").collect()[0][0]).decode()]
        return self.steps.run(
            "candidates", rows, Stage("keys", plan), Stage("pairs", plan, self.partitions)
        )

    def skipped(self) -> dict[str, int]:
        """Returns the number of skipped pages by reason."""
        prefix, others = "skipped: ", self.steps.done[0].others.items()
        return {what.removeprefix(prefix): n for what, n in others if what.startswith(prefix)}

    def seeded(self) -> list[str]:
        return ["--preset", self.options.preset, "--seed", str(self.options.seed)]


def check_version(version: str) -> None:
    if int(version.partition(".")[0]) < 4:
        raise JobFailed(f"expected Spark 4.0 or later, found {version}")


def columns_of(pages: DataFrame) -> list[str]:
    """Returns the known columns of a frame of pages."""
    found = [name for name in COLUMNS if name in pages.columns]
    if "url" not in found or len({"text", "html", "links"} & set(found)) == 0:
        raise JobFailed(
            "expected a column url, and text, html or links with it, "
            f"found {', '.join(pages.columns) or 'none'}"
        )
    return found


def form_of(files: Sequence[str]) -> str:
    """Returns the format of files by their names."""
    of_forms: dict[str, str] = {}
    for file in files:
        forms = [form for form, names in FORMATS.items() if re.search(names, file)]
        if not forms and not file.endswith(".parquet"):
            raise JobFailed(
                "expected names that end in .parquet, .jsonl, .warc or .wet, the last three also "
                f"with .gz, found {file}: specify the format with --format"
            )
        of_forms.setdefault(forms[0] if forms else "parquet", file)
    if len(of_forms) != 1:
        found = " and ".join(of_forms.values()) or "no file"
        raise JobFailed(f"expected files of one format, found {found}")
    return next(iter(of_forms))


def parallelism(spark: SparkSession) -> int:
    partitions = int(spark.conf.get("spark.sql.shuffle.partitions") or 0)
    try:
        return partitions if partitions != 200 else 4 * spark.sparkContext.defaultParallelism
    except PySparkException:
        # Spark Connect does not report it.
        return partitions
