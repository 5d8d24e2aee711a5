"""The static index of a crawl: the files of `pagekin build --from`, each made by one task."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
from pyspark.sql import functions as f

from . import glue
from .frames import Rows, Stage, Steps, numbered, perform
from .places import place
from .shipping import find_program

# The folder below the output that a host serves.
INDEX = "site"
# URLs of a stretch of pages, in which blocks begin anew.
STRETCH = 12_288


class Index:
    """The steps from bags and clusters to the files of an index.

    Five of them run in one task, on sums: each leaves the *state*, some bytes for each block of
    pages, which the tasks behind it read as a file.
    """

    def __init__(
        self,
        steps: Steps,
        partitions: int,
        seeded: Sequence[str],
        lang: str,
        languages: Mapping[str, int],
    ) -> None:
        self.steps, self.partitions, self.seeded = steps, partitions, seeded
        self.languages = ["--lang", lang]
        for language, pages in languages.items():
            self.languages += ["--language", f"{language}={pages}"]

    def write(self, folder: str, spoken: Rows, said: Rows, bags: Rows, centers: Rows) -> int:
        """Writes the files below a folder; returns how many there are."""
        spoken_of = ["--spoken-of", str(said.of("urls"))]
        words = self.run("words", spoken + said.only("terms"), spoken_of, self.partitions)
        made = self.run("pages", bags, [*self.seeded[:2], *self.languages])
        facts = made.only("facts")
        stretches, drawn = self.stretches(facts, made.only("pages") + centers, bags.of("bags"))
        tasks = min(self.partitions, stretches.of("stretches") // STRETCH + 1)

        describe = [*spoken_of, *self.seeded, *self.languages]
        state = self.settled("describe", facts + drawn + words, describe)
        counts = self.run("count", stretches, state, tasks)
        state = self.settled("model", counts, state)
        sizes = self.run("measure", stretches, state, tasks)
        state = self.settled("arrange", made.only("parts") + sizes, state)
        records = self.run("records", stretches, state, tasks)
        postings = records.only("postings")
        counts = self.run("count-lists", postings, state, self.partitions)
        state = self.settled("model-lists", counts, state)
        of_lists = records.only("postings", "addresses")
        lists = self.run("lists", of_lists, state, self.partitions)
        finish = records.only("hashes", "sample") + lists.only("hashes")
        last = self.run("finish", finish, state, 1)
        state = state_of(last)
        payloads = records.only("payloads") + lists.only("payloads") + last.only("payloads")
        return self.files(payloads, state, folder) + self.beside(state, folder)

    def stretches(self, facts: Rows, members: Rows, urls: int) -> tuple[Rows, Rows]:
        """Pages in the order of their clusters, by stretches; and a sample of them."""
        ranges = self.run("ranges", facts, ["--ranges", str(self.partitions)], 1)
        by_ranges = ["--ranges", glue.Bytes(f"{ranges.folder}/kind=ranges")]
        spread = ["--buckets", str(urls // STRETCH + 1)]
        members = self.run("members", members, spread, self.partitions)
        ordered = self.run("order", members, by_ranges, self.partitions)
        pages = numbered(self.run("sort", ordered, [], self.partitions))
        made = self.run("stretches", pages, ["--pages", str(pages.of("sorted"))])
        return made.only("stretches"), made.only("drawn")

    def run(self, name: str, rows: Rows, options: Sequence[str], tasks: int | None = None) -> Rows:
        return self.steps.run(f"index {name}", rows, Stage(f"index {name}", options, tasks))

    def settled(self, name: str, rows: Rows, options: Sequence[str]) -> list[str]:
        """The state that a step in one task leaves."""
        if any(rows.records.values()):
            return state_of(self.run(name, rows, options, 1))
        # Spark has no task for no rows: an index of a few pages has no lists.
        with tempfile.TemporaryDirectory(prefix="pagekin-spark-") as place_here:
            batches = self.here(name, options, Path(place_here))
            rows_of = [row for batch in batches for row in batch.to_pylist()]
        state = next(row["bytes"] for row in rows_of if row["kind"] == "index")
        folder = f"{self.steps.place(f'index {name}')}/kind=index"
        files, path = place(folder)
        files.create_dir(path)
        with files.open_output_stream(f"{path}/state.parquet") as sink:
            pa.parquet.write_table(pa.table({"bytes": pa.array([state], pa.binary())}), sink)
        return ["--index", glue.Bytes(folder)]

    def files(self, payloads: Rows, state: Sequence[str], folder: str) -> int:
        words = ["index", "files", *state]
        put = glue.into_files(self.steps.program, words, folder, self.steps.place("index files"))
        with self.steps.step("index files") as step:
            frame = payloads.frame.mapInArrow(put, "path string, length bigint")
            sums = frame.agg(f.countDistinct("path"), f.sum("length"))
            files, length = perform(lambda: sums.collect())[0]
            step.records["files"], step.bytes["files"] = files, length
        return files

    def beside(self, state: Sequence[str], folder: str) -> int:
        """The demo, the client, and last the manifest: this makes the folder an index."""
        with tempfile.TemporaryDirectory(prefix="pagekin-spark-") as place_here:
            batches = self.here("beside", state, Path(place_here))
            aside = self.steps.place("index beside")
            return sum(glue.put(batch, folder, aside).num_rows for batch in batches)

    def here(self, name: str, options: Sequence[str], folder: Path) -> glue.Batches:
        """What a step makes of nothing, on this machine."""
        words = ["index", name]
        for number, word in enumerate(options):
            if isinstance(word, glue.Bytes):
                path = str(folder / f"{number}")
                glue.fetch(word, path)
                words.append(path)
            else:
                words.append(word)

        def feed(sink) -> None:
            packed = [("bucket", pa.int32()), ("kind", pa.string()), ("part", pa.int32())]
            packed += [("records", pa.int64()), ("bytes", pa.binary())]
            if name != "beside":
                pa.ipc.new_stream(sink, pa.schema(packed)).close()

        yield from glue.exchange(str(find_program()), words, feed)


def state_of(rows: Rows) -> list[str]:
    return ["--index", glue.Bytes(f"{rows.folder}/kind=index")]
