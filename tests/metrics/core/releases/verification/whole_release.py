"""A made release of a whole study as a folder, and changes of its files for tests of faults."""

import gzip
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.metrics.services.releases.made_releases import archive, made_release
from tests.metrics.services.releases.whole_study import whole_study

_archives: list[bytes] = []  # made once a process
Row = dict[str, Any]


@pytest.fixture
def whole_archive(media_root: Path) -> bytes:
    """The archive of a release of `whole_study`."""
    if not _archives:
        _archives.append(archive(made_release(whole_study())))
    return _archives[0]


@pytest.fixture
def whole_folder(whole_archive: bytes, tmp_path: Path) -> Path:
    """The same, unpacked."""
    with zipfile.ZipFile(io.BytesIO(whole_archive)) as members:
        members.extractall(tmp_path)
    (folder,) = (path for path in tmp_path.iterdir() if (path / "manifest.json").exists())
    return folder


def change_text(folder: Path, name: str, change: Callable[[str], str]) -> None:
    """Change the text of a file, packed or not, and seal the folder anew; it must change."""
    path = folder / name
    content = path.read_bytes()
    is_packed = name.endswith(".gz")
    earlier_text = (gzip.decompress(content) if is_packed else content).decode()
    text = change(earlier_text)
    assert text != earlier_text, f"nothing was planted in {name}"
    path.write_bytes(gzip.compress(text.encode()) if is_packed else text.encode())
    seal(folder, name)


def change_json(folder: Path, name: str, change: Callable[[Any], None]) -> None:
    """Change the value of a JSON file in place; it must change."""

    def changed(text: str) -> str:
        value = json.loads(text)
        change(value)
        assert value != json.loads(text), f"nothing was planted in {name}"
        return json.dumps(value)

    change_text(folder, name, changed)


def change_rows(folder: Path, name: str, change: Callable[[list[Row]], None]) -> None:
    """Change the rows of a Parquet table in place; they must change."""
    path = folder / name
    table = parquet.read_table(path)
    rows = table.to_pylist()
    change(rows)
    assert rows != table.to_pylist(), f"nothing was planted in {name}"
    parquet.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
    seal(folder, name)


def seal(folder: Path, name: str) -> None:
    """Let the documents tell of a file as it is now, but for its rows."""
    content = (folder / name).read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    _replace(folder / "SHA256SUMS", rf"[0-9a-f]{{64}}(?=  {re.escape(name)}$)", sha256)
    if name in ("README.md", "SHA256SUMS"):
        return
    label = re.escape(name).replace("_", r"\\?_")
    row = rf"^(\| {label} \|.*\| )[\d,]+ \|$"
    _replace(folder / "README.md", row, rf"\g<1>{len(content):,} |")
    seal(folder, "README.md")
    if name != "croissant.json":
        croissant = json.loads((folder / "croissant.json").read_text())
        for row in croissant["distribution"]:
            if row["contentUrl"] == name:
                row |= {"contentSize": f"{len(content)} B", "sha256": sha256}
        (folder / "croissant.json").write_text(json.dumps(croissant))
        seal(folder, "croissant.json")


def _replace(path: Path, pattern: str, text: str) -> None:
    path.write_text(re.sub(pattern, text, path.read_text(), flags=re.MULTILINE))
