"""Runs a stage in a task of Spark: the pagekin program as a child process, with Arrow streams.

These functions run on the executors. Spark sends their code, so executors only need Python with
PySpark and pyarrow.
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
    """The error of a stage."""


def exchange(program: str, arguments: Sequence[str], feed: Callable[[IO[bytes]], None]) -> Batches:
    """Starts a stage, lets `feed` write its input, and yields its output.

    Input and output are processed at the same time. The stage always ends with this generator. If
    it fails, its standard error is raised.
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
            # A child that no longer reads reports why. Others must not treat this as the end.
            if not ended_early(error):
                child.kill()

    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            # Ignores any pagekin.toml on the executor.
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
                # Ends a child that is still writing.
                child.stdout.close()
            code = child.wait()
            if code == 0:
                feeder.join()
            for fault in broken:
                if not ended_early(fault):
                    raise fault
            if code != 0 or broken or cut:
                errors.seek(0)
                message = errors.read().decode(errors="replace").strip()
                ended = f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
                if code == -9:
                    ended += ", perhaps for lack of memory: see spark.executor.memoryOverhead"
                raise StageFailed(f"{name}: {message or ended}") from cut
        finally:
            child.kill()
            child.wait()
            if child.stdout:
                child.stdout.close()


def ended_early(fault: BaseException) -> bool:
    """Returns whether a child stopped reading."""
    return isinstance(fault, OSError) and fault.errno == errno.EPIPE


def of_rows(
    program: str, arguments: Sequence[str], columns: Sequence[str]
) -> Callable[[Batches], Batches]:
    """Returns a stage over rows for `mapInArrow`, which outputs `columns`. A partition without rows
    starts no process."""

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
    """Returns a stage over the bytes of files, for `mapInArrow` over their indices in `paths`."""

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
    """Returns the path of a file that Spark sent to this executor."""
    from pyspark import SparkFiles

    return SparkFiles.get(name)


class Bytes(str):
    """An argument that represents a file: the column `bytes` of a Parquet folder, row by row."""


def local(argument: str) -> str:
    """Returns the argument; for `Bytes`, the path of a file that each executor creates once."""
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
    """Creates the file for an argument atomically, because other tasks may wait for it."""
    files, folder = place(argument)
    with open(f"{path}.part", "wb") as made:
        # Without rows of this kind, there is no folder.
        for info in files.get_file_info(pa.fs.FileSelector(folder, allow_not_found=True)):
            if not info.base_name.endswith(".parquet"):
                continue
            with files.open_input_file(info.path) as source:
                parquet = pa.parquet.ParquetFile(source)
                for batch in parquet.iter_batches(64, columns=["bytes"]):
                    for value in batch.column(0):
                        made.write(value.as_buffer())
    os.replace(f"{path}.part", path)
