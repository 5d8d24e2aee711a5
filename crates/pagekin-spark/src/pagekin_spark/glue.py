"""A stage in a task of Spark: the pagekin program as a child process, with Arrow in and out.

The functions here run on the executors. They are sent there whole, so these need no more than
Python with PySpark and pyarrow.
"""

import errno
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import IO

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet

from .places import place

Batches = Iterator[pa.RecordBatch]


class StageFailed(Exception):
    """What a stage says went wrong."""


def exchange(program: str, arguments: Sequence[str], feed: Callable[[IO[bytes]], None]) -> Batches:
    """Starts a stage, lets `feed` write its input, and gives what it puts out.

    Input and output go on at the same time. The stage ends with this, however this ends; if it
    fails, what it wrote to its standard error is raised.
    """
    name = f"pagekin stage {arguments[0]}"
    broken: list[BaseException] = []

    def feeding(child: subprocess.Popen[bytes]) -> None:
        try:
            assert child.stdin
            with child.stdin as sink:
                feed(sink)
        except BaseException as error:
            broken.append(error)
            # The child that no longer reads knows why. The others must not take this for the end.
            if not ended_early(error):
                child.kill()

    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            # Without what a pagekin.toml says that lies about there.
            [program, "stage", *arguments, "--no-config"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        feeder = threading.Thread(target=feeding, args=(child,), daemon=True)
        feeder.start()
        try:
            cut: Exception | None = None
            try:
                with pa.ipc.open_stream(child.stdout) as stream:
                    yield from stream
            except (pa.ArrowException, OSError) as error:
                cut = error
                # What it still writes nobody reads: it ends by that, or has ended.
                child.stdout.close()
            code = child.wait()
            if code == 0:
                feeder.join()
            for fault in broken:
                if not ended_early(fault):
                    raise fault
            if code != 0 or broken or cut:
                errors.seek(0)
                said = errors.read().decode(errors="replace").strip()
                ended = f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
                if code == -9:
                    ended += ", perhaps for lack of memory: see spark.executor.memoryOverhead"
                raise StageFailed(f"{name}: {said or ended}") from cut
        finally:
            child.kill()
            child.wait()
            if child.stdout:
                child.stdout.close()


def ended_early(fault: BaseException) -> bool:
    """Whether a child does not read any more."""
    return isinstance(fault, OSError) and fault.errno == errno.EPIPE


def of_rows(
    program: str, arguments: Sequence[str], columns: Sequence[str]
) -> Callable[[Batches], Batches]:
    """A stage over rows, for `mapInArrow`, which gives these columns. Nothing is started for a
    partition without rows."""

    def stage(batches: Batches) -> Batches:
        batches = iter(batches)
        first = next(batches, None)
        if first is None:
            return

        def feed(sink: IO[bytes]) -> None:
            with pa.ipc.new_stream(sink, first.schema) as stream:
                stream.write_batch(first)
                for batch in batches:
                    stream.write_batch(batch)

        for batch in exchange(shipped(program), [local(word) for word in arguments], feed):
            yield batch.select(columns)

    return stage


def of_files(
    program: str, arguments: Sequence[str], paths: Sequence[str]
) -> Callable[[Batches], Batches]:
    """A stage over the bytes of files, for `mapInArrow` over their numbers in `paths`."""

    def stage(batches: Batches) -> Batches:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                path = paths[number]

                def feed(sink: IO[bytes], path: str = path) -> None:
                    files, name = place(path)
                    with files.open_input_stream(name, compression=None) as source:
                        shutil.copyfileobj(source, sink, 1 << 20)

                try:
                    yield from exchange(shipped(program), arguments, feed)
                except StageFailed as error:
                    raise StageFailed(f"{path}: {error}") from None

    return stage


def shipped(name: str) -> str:
    """The path of a file that Spark brought to this executor."""
    from pyspark import SparkFiles

    return SparkFiles.get(name)


class Bytes(str):
    """An argument that stands for a file: the column `bytes` of a folder of Parquet, row by row."""


def local(argument: str) -> str:
    """The argument; of `Bytes` the path of a file that is made once for each executor."""
    if not isinstance(argument, Bytes):
        return argument
    import fcntl
    import hashlib

    path = shipped(f"pagekin-{hashlib.sha256(argument.encode()).hexdigest()[:16]}")
    with open(f"{path}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(path):
            fetch(argument, path)
    return path


def fetch(argument: Bytes, path: str) -> None:
    """Makes the file that an argument stands for; in one step, as others may wait for it."""
    files, folder = place(argument)
    with open(f"{path}.part", "wb") as made:
        # If no row is of the kind, there is no folder.
        for info in files.get_file_info(pa.fs.FileSelector(folder, allow_not_found=True)):
            if not info.base_name.endswith(".parquet"):
                continue
            with files.open_input_file(info.path) as source:
                parquet = pa.parquet.ParquetFile(source)
                for batch in parquet.iter_batches(64, columns=["bytes"]):
                    for value in batch.column(0):
                        made.write(value.as_buffer())
    os.replace(f"{path}.part", path)
