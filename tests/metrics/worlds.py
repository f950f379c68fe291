"""Random studies as plain data, and their scores by ir_measures: neither uses the product."""

from typing import NamedTuple

import ir_measures
import numpy as np
from ir_measures import AP, RR, P, Qrel, R, Rprec, ScoredDoc, Success, nDCG

Labels = dict[tuple[str, str], int]  # grades by (query, document)
THEIRS = {
    "C@1": Success @ 1,
    "C@5": Success @ 5,
    "C@10": Success @ 10,
    "AP": AP,
    "nDCG@10": nDCG @ 10,
    "RR": RR,
    "Rprec": Rprec,
    "R@5": R @ 5,
    "P@5": P @ 5,
}
AT_R = "mAP@R"  # which ir_measures lacks
NAMES = (*THEIRS, AT_R)
RANKS = {"MedR": np.median, "MeanR": np.mean}  # of the first positive of each query that has one
MATRICES = ("npz float16", "npz float32", "npz float64", "npy in a zip", "hdf5")
SETS = ("original", "cxc", "ours, v2 (50 %)")
N_WIDE = 130  # more columns than rankings keep of a matrix


class World(NamedTuple):
    """A study with one run.

    train : items of another split; left_out : items that a lead excludes; late : documents that
        join after the rest
    gallery : the only targets that count, none for all; rows : (source, target, score), no pair
        twice
    """

    direction: str
    form: str
    queries: list[str]
    documents: list[str]
    train: set[str]
    left_out: set[str]
    late: set[str]
    gallery: list[str]
    references: dict[str, Labels]
    people: Labels
    rows: list[tuple[str, str, float]]

    @property
    def sources(self) -> list[str]:
        """The items that queries of this direction are, those that count."""
        side = self.queries if self.direction == "forward" else self.documents
        return [item for item in side if item not in self.train | self.left_out]

    @property
    def items(self) -> list[tuple[str, str]]:
        """Side and id of every item."""
        return [("query", item) for item in self.queries] + [
            ("document", item) for item in self.documents
        ]

    @property
    def closes_ranks(self) -> bool:
        """Whether a rule lets rows drop out of the run, so that those below move up."""
        return bool(self.train or self.left_out or self.gallery)

    def counts(self, target: str) -> bool:
        """Whether a target is ranked: an unknown one too, unless there is a gallery."""
        return target in self.gallery if self.gallery else target not in self.train | self.left_out

    def scored(self) -> list[ScoredDoc]:
        """The rows that are scored."""
        sources = set(self.sources)
        return [ScoredDoc(*row) for row in self.rows if row[0] in sources and self.counts(row[1])]

    def labels(self, people: str, sets: list[str]) -> list[Qrel]:
        """The grades that count: people's over the sets' largest, the larger of both, or one."""
        reference: Labels = {}
        for name in sets if people != "only" else ():
            reference |= {
                pair: max(grade, reference.get(pair, 0))
                for pair, grade in self.references[name].items()
            }
        own = self.people if people != "none" else {}
        both = {pair: max(reference[pair], own[pair]) for pair in reference.keys() & own.keys()}
        grades = reference | own | (both if people == "union" else {})
        ends = [pair if self.direction == "forward" else pair[::-1] for pair in grades]
        sources = set(self.sources)
        return [
            Qrel(source, target, grade)
            for (source, target), grade in zip(ends, grades.values(), strict=True)
            if source in sources and self.counts(target)
        ]


def random_world(rng: np.random.Generator, *, direction: str, form: str, n_sets: int) -> World:
    """A random study of few items, with unknown items, ties, missing queries, repeated labels."""
    n_queries = N_WIDE if form in MATRICES and direction == "reverse" else 5
    n_documents = N_WIDE if form in MATRICES and direction == "forward" else 14
    sizes = (("q", n_queries), ("d", n_documents))
    queries, documents = ([f"{side}{number}" for number in range(n)] for side, n in sizes)
    train = {"q4", f"d{n_documents - 1}"} if rng.random() < 0.3 else set()
    left_out = {"q1", "d2"} if rng.random() < 0.3 else set()
    late = {"d5", "d9"} if direction == "forward" and rng.random() < 0.4 else set()
    targets = documents if direction == "forward" else queries
    gallery = (
        []
        if rng.random() < 0.7
        else [target for target in targets[:-1] if rng.random() < 0.6] or targets[:1]
    )
    gallery = [target for target in gallery if target not in train | late | left_out]
    density = 0.05 if form in MATRICES else 0.3
    sets = {name: _labels(rng, queries, documents, density) for name in SETS[:n_sets]}
    people = _labels(rng, queries, [name for name in documents if name not in late], density)
    sides = (queries, documents) if direction == "forward" else (documents, queries)
    rows = _rows(rng, *sides, is_whole=form in MATRICES)
    return World(
        direction, form, queries, documents, train, left_out, late, gallery, sets, people, rows
    )


def _labels(
    rng: np.random.Generator, queries: list[str], documents: list[str], density: float
) -> Labels:
    some = [
        (query, document) for query in queries for document in documents if rng.random() < density
    ]
    return {pair: int(rng.integers(0, 3)) for pair in [*some, ("q0", "d0")]}


def _rows(
    rng: np.random.Generator, sources: list[str], targets: list[str], *, is_whole: bool
) -> list[tuple[str, str, float]]:
    """Few different scores, so that many are tied; of a matrix most cells.

    One source is always met.
    """
    rows = []
    for source in [*sources, "elsewhere"]:
        if source != sources[0] and rng.random() < 0.15:
            continue
        known_targets = (
            targets
            if is_whole
            else rng.permutation(targets)[: int(rng.integers(1, len(targets) + 1))].tolist()
        )
        is_strange = rng.random() < 0.15 and source != sources[0]
        # before and behind
        strange = [f"{'ax'[number % 2]}{number}" for number in range(20) if rng.random() < 0.3]
        highest = 200 if is_whole else 6
        for target in [*([] if is_strange else known_targets), *strange]:
            if not (is_whole and rng.random() < 0.05):
                rows.append((source, target, int(rng.integers(0, highest)) / 4))
    return [rows[position] for position in rng.permutation(len(rows))]


def canonical(rows: list[tuple[str, str, float]]) -> list[tuple[str, str, float]]:
    """By source, best first; ties by id, the last in order first, as trec_eval settles them."""
    return sorted(
        sorted(rows, key=lambda row: (row[2], row[1]), reverse=True), key=lambda row: row[0]
    )


def per_query(world: World, labels: list[Qrel]) -> dict[str, dict[str, float]]:
    """Values by ir_measures of each query that counts, by measure; 0 where it has none."""
    values = {name: dict.fromkeys(world.sources, 0.0) for name in THEIRS}
    names = {measure: name for name, measure in THEIRS.items()}
    for row in ir_measures.iter_calc(THEIRS.values(), labels, world.scored()):
        if row.query_id in values[names[row.measure]]:
            values[names[row.measure]][row.query_id] = row.value
    return values | {AT_R: _at_r(world, labels)}


def _at_r(world: World, labels: list[Qrel]) -> dict[str, float]:
    """Average precision within the first R ranks, where R is how many positives a query has."""
    positive, lists = _positive(labels), _lists(world.scored())
    values = dict.fromkeys(world.sources, 0.0)
    for source, targets in positive.items():
        hits = [target in targets for target in lists.get(source, [])[: len(targets)]]
        values[source] = sum(
            np.mean(hits[: position + 1]) for position, hit in enumerate(hits) if hit
        ) / len(targets)
    return values


def means(world: World, labels: list[Qrel]) -> dict[str, float]:
    """The means of `per_query`, and the measures of the ranks of first positives.

    NaN if no list is long enough for a rank, or no query has a positive.
    """
    values = {
        name: float(np.mean(list(values_by_query.values())))
        for name, values_by_query in per_query(world, labels).items()
    }
    first = _first_ranks(world.scored(), labels)
    ranks = {name: float(middle(first)) if first else np.inf for name, middle in RANKS.items()}
    return values | {name: value if np.isfinite(value) else np.nan for name, value in ranks.items()}


def _first_ranks(run: list[ScoredDoc], labels: list[Qrel]) -> list[float]:
    """The rank of the first positive of each query with one, infinite if its list holds none."""
    lists, first_ranks = _lists(run), []
    for source, targets in _positive(labels).items():
        ranks = [
            rank for rank, target in enumerate(lists.get(source, []), start=1) if target in targets
        ]
        first_ranks.append(ranks[0] if ranks else np.inf)
    return first_ranks


def _positive(labels: list[Qrel]) -> dict[str, set[str]]:
    positive: dict[str, set[str]] = {}
    for label in labels:
        if label.relevance > 0:
            positive.setdefault(label.query_id, set()).add(label.doc_id)
    return positive


def _lists(run: list[ScoredDoc]) -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    for source, target, _ in canonical([tuple(row) for row in run]):
        lists.setdefault(source, []).append(target)
    return lists
