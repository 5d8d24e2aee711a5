"""Files and folders, on this machine or elsewhere, by path or URI."""

import os
import re

import pyarrow as pa
import pyarrow.fs as fs

# What is renamed there is copied, file by file.
STORES = ("s3", "gcs")


def place(uri: str) -> tuple[fs.FileSystem, str]:
    """A file system, and the path in it."""
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
    """The same for those who work in another folder: each executor does."""
    return place(uri)[1] if is_local(uri) else uri


def for_spark(uri: str) -> str:
    """The same, as Spark calls it: without a scheme its default might be another."""
    return f"file://{place(uri)[1]}" if is_local(uri) else uri


def exists(uri: str) -> bool:
    files, path = place(uri)
    return not is_missing(files, path)


def is_missing(files: fs.FileSystem, path: str) -> bool:
    return files.get_file_info(path).type == fs.FileType.NotFound


def is_empty(uri: str) -> bool:
    """Whether a folder has nothing in it, or is none."""
    files, path = place(uri)
    if files.get_file_info(path).type != fs.FileType.Directory:
        return is_missing(files, path)
    return not files.get_file_info(fs.FileSelector(path))


def below(uri: str) -> list[str]:
    """The files in a folder and its folders, in order, but hidden ones; of a file itself."""
    files, path = place(uri)
    if files.get_file_info(path).type != fs.FileType.Directory:
        return [uri]
    found = files.get_file_info(fs.FileSelector(path, recursive=True))
    shown = (info for info in found if info.type == fs.FileType.File)
    rests = (info.path[len(path.rstrip("/")) :] for info in shown)
    return [uri.rstrip("/") + rest for rest in sorted(rests) if not re.search("/[._]", rest)]


def size(uri: str) -> int:
    """The bytes of all files in a folder and its folders."""
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
    """Removes a folder, if it is there."""
    if exists(uri):
        files, path = place(uri)
        files.delete_dir(path)


def publish(made: str, output: str, last: str) -> None:
    """Puts a folder in the place of another one, if there is one.

    Where there is no renaming files are copied, `last` as the last one: a folder without it is not
    complete.
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
