"""Indexes pages of a program, and hands over one that is not valid."""

from pathlib import Path

from pagekin.build import BuildError, IndexBuilder

builder = IndexBuilder("records", "--quiet")
builder.add_record("/rye/", text="Rye rises slowly.", title="Rye", lang="en", filters={"kind": ["bread"]})
builder.add_file("/peas/", "<html lang=en><title>Peas</title><p>Sow peas early.")
summary = builder.write()
assert summary["pages"] == 2, summary
assert Path("records/pagekin.manifest").is_file()

Path("folder").mkdir(exist_ok=True)
Path("folder/beans.html").write_text("<html lang=en><title>Beans</title><p>Beans climb.")
both = IndexBuilder("both", "--quiet", site="folder")
both.add_file("/peas/", "<html lang=en><title>Peas</title><p>Sow peas early.")
assert both.write()["pages"] == 2

try:
    with IndexBuilder("wrong") as wrong:
        for at in range(10_000):
            wrong.add_record("mailto:a" if at == 5 else f"/{at}", text="Rye " * 100)
except BuildError as error:
    assert "line 6" in str(error), error
else:
    raise AssertionError("expected an error about line 6")
