"""Makes a BEIR folder of many documents, or surveys and packs one; prints its figures as JSON.

    python big_folder.py make FOLDER N
    python big_folder.py read FOLDER

Processes of their own, whose largest size is that of the reading alone.
"""

import json
import resource
import sys
import time
from pathlib import Path

from assayer.datasets.beir import BeirFolder
from assayer.datasets.data_sets import DOCUMENT, QUERY
from assayer.datasets.import_files import item_files, label_file
from assayer.datasets.selections import Selection
from assayer.datasets.survey import survey

TEXT = 1000  # characters of a document


def make(folder: Path, n: int) -> None:
    """Write n documents, a query for each hundred, and a label for each document."""
    (folder / "qrels").mkdir(parents=True)
    with (folder / "corpus.jsonl").open("w") as corpus:
        for i in range(n):
            words = f"{i * 7919 % 100_003:x} " * (TEXT // 6)
            corpus.write(
                json.dumps({"_id": f"document-{i}", "title": f"{i}", "text": words}) + "\n"
            )
    with (folder / "queries.jsonl").open("w") as queries:
        for i in range(n // 100):
            queries.write(json.dumps({"_id": f"query-{i}", "text": f"number {i}"}) + "\n")
    with (folder / "qrels/test.tsv").open("w") as labels:
        labels.write("query-id\tcorpus-id\tscore\n")
        for i in range(n):
            labels.write(f"query-{i % (n // 100)}\tdocument-{i}\t{i % 3}\n")


def read(folder: Path) -> dict[str, float]:
    """The size of the process before and after, in MiB, and the seconds of each step."""
    before = size()
    selection = Selection(BeirFolder(folder))
    start = time.monotonic()
    figures = survey(selection)
    middle = time.monotonic()
    assert not figures.problems
    n_bytes = sum(
        len(piece)
        for side in (QUERY, DOCUMENT)
        for pieces in item_files(selection, side)
        for piece in pieces
    )
    n_bytes += sum(map(len, label_file(selection, "test")))
    return {
        "n_documents": figures.n_items[DOCUMENT],
        "n_labels": figures.grades["original"].total(),
        "before": before,
        "after": size(),
        "survey_seconds": middle - start,
        "packing_seconds": time.monotonic() - middle,
        "bytes": n_bytes,
    }


def size() -> float:
    """The largest size of this process so far in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        print(json.dumps(read(Path(sys.argv[2]))))
