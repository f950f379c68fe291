"""One small campaign: its files, who says what, and what every way through it must come to.

A story takes it from files to a published release. Whichever way it goes, the qrels and scores are
those that `expected_qrels` and `expected_scores` compute from the inputs alone.
"""

import json
from pathlib import Path

import ir_measures
from ir_measures import AP, Judged, Success, nDCG

LEVELS = {2: "Shows it", 1: "Shows something like it", 0: "Shows something else"}
POSITIVE_FROM = 1
DEPTH = 3
# a row is a query, a column one of the twelve documents d01 to d12
TRUTH = {
    "q1": "210000102000",
    "q2": "021000010000",
    "q3": "000220000001",
    "q4": "100002100000",
    "q5": "000000022010",
    "q6": "000100000021",
}
# Two pairs of it are in no pool, and with one the people do not agree. A batch for all pairs takes
# its one gold of them: a gold of a pooled pair would take the place of somebody's label.
REFERENCE = {
    ("q1", "d01"): 2,
    ("q1", "d02"): 1,
    ("q2", "d02"): 2,
    ("q3", "d04"): 2,
    ("q4", "d06"): 2,
    ("q4", "d09"): 1,
    ("q5", "d11"): 1,
    ("q6", "d04"): 1,
}
SHORT = ("q1", "q3", "q5")  # the query set of this name
# how much a system sees of the truth, and how it guesses: (weight, step between documents)
SYSTEMS = {"amber": (6, 5), "birch": (3, 7), "cedar": (1, 11)}
ANNOTATORS = ("anna", "bert")
# anna misses what the other sees; two labels at most, so that the lead decides. No
# reference has this pair: without the decision it would have no grade
DISPUTED = ("q1", "d09")
MEASURES = {
    "AP": AP(rel=POSITIVE_FROM),
    "nDCG@10": nDCG @ 10,
    "C@1": Success(rel=POSITIVE_FROM) @ 1,
    "C@5": Success(rel=POSITIVE_FROM) @ 5,
    "Judged@5": Judged @ 5,
}
Pair = tuple[str, str]


def grade(query: str, document: str) -> int:
    """The true grade of a pair."""
    return int(TRUTH[query][int(document[1:]) - 1])


def label(annotator: str, query: str, document: str) -> int:
    """The grade that one of ANNOTATORS gives."""
    is_blind = annotator == ANNOTATORS[0] and (query, document) == DISPUTED
    return 0 if is_blind else grade(query, document)


def documents() -> list[str]:
    """The ids of the documents."""
    return [f"d{number:02d}" for number in range(1, 13)]


def text_of(item: str) -> str:
    """The text of an item, by which a card is known."""
    return f"a leaf of kind {item}"


def item_of_text(text: str) -> str:
    """The id of the item with a text."""
    return text.rsplit(" ", 1)[1]


def ranking(system: str, query: str) -> list[str]:
    """The eight documents that a system finds, best first."""
    weight, step = SYSTEMS[system]
    row = int(query[1:])
    worth = {
        document: weight * grade(query, document) + (step * number + 4 * row) % 13
        for number, document in enumerate(documents(), start=1)
    }
    return sorted(documents(), key=lambda document: (-worth[document], document))[:8]


def run_text(system: str) -> str:
    """The run file of a system, as TREC has them."""
    return "".join(
        f"{query} Q0 {document} {rank} {20 - rank} {system}\n"
        for query in TRUTH
        for rank, document in enumerate(ranking(system, query), start=1)
    )


def pool() -> set[Pair]:
    """The pairs of a pool of DEPTH."""
    return {
        (query, document)
        for system in SYSTEMS
        for query in TRUTH
        for document in ranking(system, query)[:DEPTH]
    }


def write_files(folder: Path) -> None:
    """The files that a campaign begins with."""
    sides = [*(("query", query) for query in TRUTH), *(("document", d) for d in documents())]
    rows = [json.dumps({"side": side, "id": item, "text": text_of(item)}) for side, item in sides]
    lines = [f"{query} 0 {document} {value}" for (query, document), value in REFERENCE.items()]
    for name, text_lines in {
        "items.jsonl": rows,
        "original.qrels": lines,
        "short.txt": list(SHORT),
    }.items():
        (folder / name).write_text("\n".join([*text_lines, ""]))
    (folder / "runs").mkdir()
    for system in SYSTEMS:
        (folder / "runs" / f"{system}.trec").write_text(run_text(system))


def expected_qrels(queries: tuple[str, ...] = tuple(TRUTH)) -> dict[Pair, int]:
    """Labels of people over the reference: truth where it was pooled, the reference elsewhere."""
    grades = REFERENCE | {pair: grade(*pair) for pair in pool()}
    return {pair: value for pair, value in grades.items() if pair[0] in queries}


def expected_scores(queries: tuple[str, ...] = tuple(TRUTH)) -> dict[tuple[str, str], float]:
    """The mean of each run and measure over the queries, by ir_measures."""
    qrels = [
        ir_measures.Qrel(query, document, value)
        for (query, document), value in expected_qrels(queries).items()
    ]
    return {
        (system, name): ir_measures.calc_aggregate(
            [measure], qrels, list(ir_measures.read_trec_run(run_text(system)))
        )[measure]
        for system in SYSTEMS
        for name, measure in MEASURES.items()
    }
