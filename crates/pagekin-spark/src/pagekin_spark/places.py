"""Accesses local and remote files and folders by path or URI."""

import os
import re

import pyarrow as pa
import pyarrow.fs as fs

# Stores without renaming: files are copied instead.
STORES = ("s3", "gcs")


def place(uri: str) -> tuple[fs.FileSystem, str]:
    """Returns a file system, and the path in it."""
    if is_local(uri):
        return fs.LocalFileSystem(), os.path.abspath(re.sub("^file:(//)?", "", uri))
    try:
        return fs.FileSystem.from_uri(re.sub("^s3[an]:", "s3:", uri).replace(" ", "%20"))
    except pa.ArrowInvalid as error:
        raise OSError(f"expected a path, or a URI of HDFS or a store, found {uri}: {error}") from None


def is_store(uri: str) -> bool:
    return place(uri)[0].type_name in STORES


def is_local(uri: str) -> bool:
    return not re.match("[a-z][a-z0-9+.-]+:", uri) or uri.startswith("file:")


def absolute(uri: str) -> str:
    """Returns an absolute path, because executors have other working folders."""
    return place(uri)[1] if is_local(uri) else uri


def for_spark(uri: str) -> str:
    """Returns the URI for Spark, whose default scheme might not be `file`."""
    return f"file://{place(uri)[1]}" if is_local(uri) else uri


def exists(uri: str) -> bool:
    files, path = place(uri)
    return not is_missing(files, path)


def is_missing(files: fs.FileSystem, path: str) -> bool:
    return files.get_file_info(path).type == fs.FileType.NotFound


def is_empty(uri: str) -> bool:
    """Returns whether a folder is empty or does not exist."""
    files, path = place(uri)
    if files.get_file_info(path).type != fs.FileType.Directory:
        return is_missing(files, path)
    return not files.get_file_info(fs.FileSelector(path))


def below(uri: str) -> list[str]:
    """Returns the files below a folder in order, without hidden ones; for a file, the file."""
    files, path = place(uri)
    if files.get_file_info(path).type != fs.FileType.Directory:
        return [uri]
    found = files.get_file_info(fs.FileSelector(path, recursive=True))
    shown = (info for info in found if info.type == fs.FileType.File)
    rests = (info.path[len(path.rstrip("/")) :] for info in shown)
    return [uri.rstrip("/") + rest for rest in sorted(rests) if not re.search("/[._]", rest)]


def size(uri: str) -> int:
    """Returns the total bytes of all files below a folder."""
    files, path = place(uri)
    return sum(
        info.size or 0 for info in files.get_file_info(fs.FileSelector(path, recursive=True))
    )


def read(uri: str) -> bytes:
    files, path = place(uri)
    with files.open_input_stream(path) as source:
        return source.read()


def write(uri: str, text: str) -> None:
    files, path = place(uri)
    with files.open_output_stream(path) as sink:
        sink.write(text.encode())


def remove(uri: str) -> None:
    """Removes a folder, if it exists."""
    if exists(uri):
        files, path = place(uri)
        files.delete_dir(path)


def publish(made: str, output: str, last: str) -> None:
    """Moves a folder to `output` and replaces any earlier one.

    In stores without renaming, files are copied, with `last` as the last one. A folder without it
    is incomplete.
    """
    (made_by, source), (files, target) = place(made), place(output)
    if is_store(output):
        if exists(output):
            if exists(f"{output}/{last}"):
                files.delete_file(f"{target}/{last}")
            files.delete_dir_contents(target)
        for name in sorted(below(made), key=lambda name: name.endswith(f"/{last}")):
            path = place(name)[1]
            fs.copy_files(
                path,
                target + path[len(source) :],
                source_filesystem=made_by,
                destination_filesystem=files,
            )
    else:
        earlier = f"{source}.earlier" if exists(output) else None
        if earlier:
            files.move(target, earlier)
        try:
            files.move(source, target)
        except OSError:
            if earlier:
                files.move(earlier, target)
            raise
