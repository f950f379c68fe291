"""Loads a release into `datasets` and `ir_datasets` and prints what they hold, as JSON.

    python outside_loaders.py FOLDER [FOLDER]

A process of its own, as both programs settle where their caches lie when they are imported.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import ir_measures
from ir_measures import AP, Judged, Success, nDCG


def card_lines(folder: Path, package: str) -> str:
    """The lines of Python on the data card that use a package."""
    blocks = re.findall("```python\n(.*?)```", (folder / "README.md").read_text(), re.DOTALL)
    (lines,) = (
        block for block in blocks if re.search(rf"import {package}$|{package} import", block, re.M)
    )
    return lines.replace("FOLDER", str(folder))


def tables(folder: Path) -> dict[str, Any]:
    """The rows of each table, and those that the lines on the card load."""
    loaded: dict[str, Any] = {}
    exec(card_lines(folder, "datasets"), loaded)
    from datasets import get_dataset_config_names, load_dataset

    rows = {
        name: load_dataset(str(folder), name)["test"].to_list()
        for name in get_dataset_config_names(str(folder))
    }
    return {"card": loaded["table"].to_list(), **rows}


def dataset_facts(dataset: Any) -> dict[str, Any]:
    """What a data set of ir_datasets holds."""
    first_docs = [doc.doc_id for doc in dataset.docs][:2] if dataset.has_docs() else []
    return {
        "docs": list(dataset.docs) if dataset.has_docs() else None,
        "n_docs": len(dataset.docs) if dataset.has_docs() else None,
        "looked_up": [dataset.docs.lookup(key).doc_id for key in first_docs],
        "queries": [query._asdict() for query in dataset.queries_iter()],
        "n_queries": len(dataset.queries),
        "qrels": list(dataset.qrels_iter()),
        "levels": dataset.qrels_defs(),
        "scoreddocs": list(dataset.scoreddocs_iter()) if dataset.has_scoreddocs() else None,
        "citation": dataset.documentation()["citation"],
    }


def scores(qrels: Any, run: Any, positive_from: int) -> dict[str, float]:
    """The sum over queries of measures, as ir_measures has them."""
    measures = {
        "AP": AP(rel=positive_from),
        "nDCG@10": nDCG @ 10,
        "C@5": Success(rel=positive_from) @ 5,
        "Judged@10": Judged @ 10,
    }
    return {
        name: sum(value.value for value in ir_measures.iter_calc([measure], qrels, run))
        for name, measure in measures.items()
    }


def main(folder: Path, *others: Path) -> dict[str, Any]:
    """Load the first by the lines on its card, the others by what those lines have imported."""
    loaded: dict[str, Any] = {}
    exec(card_lines(folder, "ir_datasets"), loaded)
    import ir_datasets
    import ir_datasets_release as release

    ids = [*release.IDS, *(name for other in others for name in release.register(other))]
    assert release.register(folder) == release.IDS
    run = next(name for name in ids if "/runs/" in name)
    positive_from = json.loads((folder / "scheme.json").read_text())["positive_from"]
    return {
        "card": loaded["dataset"].dataset_id(),
        "sets": {name: dataset_facts(ir_datasets.load(name)) for name in ids},
        "scores": scores(
            list(loaded["dataset"].qrels_iter()),
            list(ir_datasets.load(run).scoreddocs_iter()),
            positive_from,
        ),
        "tables": tables(folder),
    }


if __name__ == "__main__":
    print(json.dumps(main(*map(Path, sys.argv[1:])), default=str))
