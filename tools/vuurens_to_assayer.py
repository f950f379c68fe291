#!/usr/bin/env python3
"""Make Assayer's files of the votes that J. Vuurens' team collected.

They are of the TREC 2011 crowdsourcing track.

    python3 tools/vuurens_to_assayer.py FOLDER OUT

FOLDER holds votes.tsv and otherparticipantsvotes.tsv, plain or gzipped. Written are
collection.jsonl (topics and web pages by their ids) and one file of judgments each, votes.tsv and
others.tsv. Needs nothing but Python.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path

HEADER = "query\tdocument\tannotator\tgrade\n"


def main(folder: Path, out: Path) -> None:
    """Read the folder, write the files."""
    out.mkdir(parents=True, exist_ok=True)
    votes = {
        "votes.tsv": [cells[1:] for cells in rows(folder, "votes.tsv")],
        "others.tsv": list(rows(folder, "otherparticipantsvotes.tsv")),
    }
    for name, cells in votes.items():
        with open(out / name, "w", encoding="utf-8") as file:
            file.write(HEADER)
            file.writelines(
                "\t".join([*split(unit), worker, vote]) + "\n" for unit, worker, vote in cells
            )
    units = {split(unit) for cells in votes.values() for unit, *_ in cells}
    with open(out / "collection.jsonl", "w", encoding="utf-8") as file:
        for side, ids in zip(("query", "document"), zip(*units, strict=True), strict=True):
            file.writelines(
                json.dumps({"side": side, "id": id_, "parts": []}) + "\n"
                for id_ in sorted(set(ids))
            )
    print(f"{len(units):,} pairs, {sum(map(len, votes.values())):,} votes in {out}")


def rows(folder: Path, name: str) -> Iterator[list[str]]:
    """The cells of each line of a file, plain or gzipped, without the blanks around them."""
    packed = folder / f"{name}.gz"
    text = gzip.decompress(packed.read_bytes()) if packed.exists() else (folder / name).read_bytes()
    yield from (
        [cell.strip() for cell in line.split("\t")]
        for line in text.decode().splitlines()
        if line.strip()
    )


def split(unit: str) -> tuple[str, str]:
    """Topic and page of a unit: the corpus names units "topic_page"."""
    topic, _, page = unit.partition("_")
    return topic, page


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
