"""A small study cut from the demo's files, ready to upload, with its true grades."""

import gzip
import io
import json
import zipfile
from pathlib import Path
from typing import NamedTuple

SHAPES = Path(__file__).resolve().parents[2] / "demo" / "shapes"
SYSTEMS = ("heron", "otter", "finch")


class StudyFiles(NamedTuple):
    """Files as uploads, and truth[caption text][item id] = grade.

    label_of : item id by the content of its card: its text, or the end of its medium's path
    """

    items: bytes
    reference: bytes
    runs: dict[str, bytes]
    truth: dict[str, dict[str, int]]
    label_of: dict[str, str]


def small_study(n_captions: int) -> StudyFiles:
    """The first captions of Shapes with all items: texts, pictures and clips."""
    rows = [json.loads(line) for line in (SHAPES / "collection.jsonl").read_text().splitlines()]
    captions = {row["id"]: row["parts"][0]["text"] for row in rows if row["side"] == "query"}
    chosen = sorted(captions)[:n_captions]
    study_rows = [row for row in rows if row["side"] == "document" or row["id"] in chosen]
    truth: dict[str, dict[str, int]] = {captions[caption]: {} for caption in chosen}
    for line in (SHAPES / "truth.qrels").read_text().splitlines():
        caption, _, item, grade = line.split()
        if caption in chosen:
            truth[captions[caption]][item] = int(grade)
    reference = _lines_of(chosen, (SHAPES / "reference.qrels").read_text())
    runs = {
        system: _lines_of(
            chosen,
            gzip.decompress((SHAPES / "runs" / f"{system}.forward.run.gz").read_bytes()).decode(),
        )
        for system in SYSTEMS
    }
    label_of = {_shown_content(row): row["id"] for row in rows if row["side"] == "document"}
    return StudyFiles(_zipped(study_rows), reference, runs, truth, label_of)


def _lines_of(captions: list[str], text: str) -> bytes:
    lines = [line for line in text.splitlines() if line.split()[0] in captions]
    return ("\n".join(lines) + "\n").encode()


def _zipped(rows: list[dict]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("collection.jsonl", "\n".join(json.dumps(row) for row in rows))
        for row in rows:
            for part in row["parts"]:
                if "path" in part:
                    archive.write(SHAPES / part["path"], part["path"])
    return buffer.getvalue()


def _shown_content(row: dict) -> str:
    part = row["parts"][0]
    return part.get("text") or part["path"]
