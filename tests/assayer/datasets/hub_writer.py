"""Writes a data set as the package `datasets` does.

    python hub_writer.py FOLDER CORPUS QUERIES LABELS

A process of its own, as the package settles where its caches lie when it is imported.
"""

import json
import sys
from pathlib import Path

from datasets import Dataset


def main(folder: Path, corpus: str, queries: str, labels: str) -> None:
    """Write corpus and labels as Parquet, queries as JSON lines."""
    Dataset.from_list(json.loads(corpus)).to_parquet(
        folder / "corpus/corpus-00000-of-00001.parquet"
    )
    Dataset.from_list(json.loads(queries)).to_json(folder / "queries.jsonl")
    for split, rows in json.loads(labels).items():
        table = Dataset.from_list(rows)
        table.to_parquet(folder / f"data/{split}-00000-of-00001.parquet")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
