"""The limits of a release in sentences: facts about it that its labels do not show by themselves.

Each sentence is composed from entries of the manifest and stands only where it is true.
"""

from collections.abc import Iterable, Iterator, Sequence

from annotate.core.phrases import count_of, counted, enumeration, first_few
from metrics.core.labels.label_sources import LabelSource
from metrics.core.releases.manifest import (
    AgreementEntry,
    CountsEntry,
    PeopleEntry,
    PoolEntry,
    QuerySetEntry,
    ReleasedCollection,
    ScoreEntry,
)

JUDGED = "Judged@10"
DIGITS = 4  # of alpha, as on the dashboard
FEW_QUERIES = 50  # topics of most TREC tasks; Voorhees & Buckley 2002, doi:10.1145/564376.564432
DRAWN_PAIRS, DRAWN_SOURCES = "stratified", "depth-k-sample"  # strategies of pools
SIDES = {"forward": ("queries", "documents"), "reverse": ("documents", "queries")}
BOTH = ("queries and documents", "documents and queries")


def limits(
    *,
    collection: ReleasedCollection,
    counts: CountsEntry,
    agreement: AgreementEntry,
    people: Sequence[PeopleEntry],
    pools: Sequence[PoolEntry],
    query_sets: Sequence[QuerySetEntry],
    scores: Sequence[ScoreEntry],
) -> tuple[str, ...]:
    """The sentences, those that change most of what the labels are good for first.

    scores : means of Judged@10 in them tell which run has the fewest judged results
    """
    rehearsal = (
        ["The collection is marked as a rehearsal: its labels are not to be used as real ones."]
        if collection.is_rehearsal
        else []
    )
    return (
        *rehearsal,
        *limits_of_people(people),
        *limits_of_agreement(agreement),
        *limits_of_pairs(counts),
        *limits_of_unjudged(scores),
        *limits_of_pools(pools),
        *limits_of_query_sets(query_sets),
    )


def limits_of_people(people: Sequence[PeopleEntry]) -> Iterator[str]:
    """Yield limits that follow from the origin of the labels."""
    n_labels = sum(entry.n_labels for entry in people)
    names = {"simulated": "simulated annotator", "model": "model"}
    for entry in people:
        share = f"{entry.n_labels:,} of {counted(n_labels, 'label')}"
        verb = "is" if entry.n_labels == 1 else "are"
        if entry.origin in names:
            annotators = counted(entry.n_annotators, names[entry.origin])
            yield f"{share} {verb} of {annotators}, not of people."
        elif entry.origin == "import":
            yield f"{share} {verb} from files of judgments: their making was not observed here."


def limits_of_agreement(agreement: AgreementEntry) -> Iterator[str]:
    """Yield limits that follow from the agreement of the labels."""
    if agreement.alpha is None:
        yield f"Agreement of the labels is not known, as alpha is undefined: {agreement.undefined}."
        return
    alpha = f"Krippendorff's alpha is {agreement.alpha:.{DIGITS}f}"
    if agreement.low is None or agreement.high is None:
        yield f"{alpha}, without an interval: {agreement.undefined}."
        return
    low = round(agreement.low, DIGITS)  # the mark goes by the digits printed beside it
    marks = agreement.marks
    if low >= marks.firm:
        return
    is_tentative = low >= marks.tentative
    mark, use = (marks.firm, "firm") if is_tentative else (marks.tentative, "tentative")
    source = " (Krippendorff 2004)" if marks.are_usual else ""
    yield (
        f"{alpha}, with an interval of {low:.{DIGITS}f} to {agreement.high:.{DIGITS}f}: it is not "
        f"shown to reach {mark:g}, {marks.mark_text} for {use} conclusions{source}."
    )


def limits_of_pairs(counts: CountsEntry) -> Iterator[str]:
    """Yield limits that follow from pairs without a grade."""
    if n := counts.n_disputed:
        verb = "has" if n == 1 else "have"
        yield f"{counted(n, 'disputed pair')} {verb} no grade by people."
    if n := counts.n_open:
        verb = "waits" if n == 1 else "wait"
        yield f"{counted(n, 'pair')} of open pools {verb} for labels."
    if n := counts.n_propagated:
        pairs = "1 pair of a duplicate takes" if n == 1 else f"{n:,} pairs of duplicates take"
        grades = "the grade of its original" if n == 1 else "the grades of their originals"
        yield f"{pairs} {grades}, which people gave to those."
    if n := counts.n_refused_positives:
        verb = "is" if n == 1 else "are"
        yield (
            f"{counted(n, 'positive')} of reference sets {verb} not relevant by people: the labels "
            "of a reference alone still count such pairs as relevant."
        )


def limits_of_unjudged(scores: Sequence[ScoreEntry]) -> Iterator[str]:
    """Yield limits that follow from results without a grade."""
    if not scores:
        return
    yield "In scores a pair without a label counts as not relevant."
    shares = [
        (score.mean, score)
        for score in scores
        if score.measure == JUDGED
        and score.mean is not None
        and LabelSource.parse(score.label_source).has_people
    ]
    if not shares:
        return
    mean, score = min(shares, key=lambda row: row[0])
    if mean < 1:
        yield (
            f"Of the first 10 results of {score.run}, {100 * mean:.1f} % are judged by "
            f"{LabelSource.parse(score.label_source).label} (query set “{score.query_set}”, "
            f"{score.direction}): no run here has a smaller share."
        )


def limits_of_pools(pools: Sequence[PoolEntry]) -> Iterator[str]:
    """Yield limits that follow from the choice of the pairs."""
    for direction in dict.fromkeys(pool.direction for pool in pools):
        of_direction = [pool for pool in pools if pool.direction == direction]
        depths = [pool.depth for pool in of_direction if pool.depth is not None]
        if depths:
            _, targets = SIDES.get(direction, BOTH)
            yield (
                f"Pools take results of runs down to rank {max(depths):,} at most: relevant "
                f"{targets} that no pooled run ranks so high may be without a label."
            )
    if any(pool.runs or pool.n_hidden_runs for pool in pools):
        yield (
            "Labels favour the runs that contributed to pools: a new run may return relevant "
            "results that nobody judged."
        )
    if names := _names(pool for pool in pools if pool.n_hidden_runs):
        yield f"Runs that are not part of the release brought pairs to {_pools(names)}, too."
    if names := _names(pool for pool in pools if pool.strategy == DRAWN_PAIRS):
        verb = "is a sample" if len(names) == 1 else "are samples"
        yield (
            f"P{_pools(names)[1:]} {verb}: scores that count pairs that were not drawn as "
            "not relevant are off, and estimates have to weigh the strata."
        )
    if names := _names(pool for pool in pools if pool.strategy == DRAWN_SOURCES):
        verb = "holds" if len(names) == 1 else "hold"
        yield (
            f"P{_pools(names)[1:]} {verb} pairs of some queries alone, drawn at random: "
            "others may have no label by people."
        )


def _names(pools: Iterable[PoolEntry]) -> list[str]:
    return [f"“{pool.name}”" for pool in pools]


def _pools(names: Sequence[str]) -> str:
    return f"{'pool' if len(names) == 1 else 'pools'} {enumeration(names)}"


def limits_of_query_sets(query_sets: Sequence[QuerySetEntry]) -> Iterator[str]:
    """Yield limits that follow from the number of queries."""
    small_sets = [
        f"“{entry.name}” ({count_of(entry.n_sources, SIDES[entry.direction][0])})"
        for entry in query_sets
        if entry.n_sources < FEW_QUERIES
    ]
    if small_sets:
        yield (
            f"Differences between runs are often due to chance over fewer than {FEW_QUERIES} "
            f"queries, the usual number of a TREC task: {first_few(small_sets)}."
        )
