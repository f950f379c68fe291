"""The limits of a release: each sentence where it is true, and nowhere else."""

from dataclasses import replace

import pytest

from metrics.core.releases.limits import DRAWN_PAIRS, DRAWN_SOURCES, limits
from metrics.core.releases.manifest import (
    AgreementEntry,
    CountsEntry,
    PeopleEntry,
    PoolEntry,
    QuerySetEntry,
    ReleasedCollection,
    ScoreEntry,
)
from pooling.core.strategies.strategies import STRATEGIES

PEOPLE = PeopleEntry("person", 3, 90, (20, 30.0, 40))
POOL = PoolEntry(
    name="first",
    direction="forward",
    strategy="depth-k",
    parameters={"depth": 10},
    seed="1",
    state="closed",
    opened_on="2026-03-01",
    closed_on="2026-03-05",
    runs=("bm25", "run-01"),
    n_hidden_runs=0,
    depth=10,
    n_pairs=60,
    n_judged=60,
    policy_version=1,
)
SCORE = ScoreEntry(
    run="bm25",
    direction="forward",
    query_set="all",
    label_source="over:original",
    measure="Judged@10",
    threshold=1,
    mean=0.9,
    low=None,
    high=None,
    best=None,
    n_queries=60,
    n_missing=0,
    n_with_positive=60,
)
FIRM = AgreementEntry(0.9, 0.85, 0.95, "ordinal", "", 0.95, 30, 60)
WITHOUT_LIMITS = {
    "collection": ReleasedCollection("c", "C", "", "ordinal", 1, False, "reference"),
    "counts": CountsEntry(90, 90, 60, 60, 0, 0, 0, 0, 0, 0),
    "agreement": FIRM,
    "people": [PEOPLE],
    "pools": [],
    "query_sets": [QuerySetEntry("all", "forward", 50, None, "")],
    "scores": [],
}


def sentences(**entries):
    return limits(**{**WITHOUT_LIMITS, **entries})


def counts(**numbers):
    return sentences(counts=replace(WITHOUT_LIMITS["counts"], **numbers))


def agreement(**fields):
    return sentences(agreement=replace(FIRM, **fields))


def pools(*fields):
    return sentences(pools=[replace(POOL, **of_pool) for of_pool in fields])


def test_nothing_is_said_of_what_has_no_limits():
    assert sentences() == ()


def test_a_rehearsal_is_told_first():
    collection = replace(WITHOUT_LIMITS["collection"], is_rehearsal=True)
    texts = sentences(collection=collection, scores=[SCORE])
    assert texts[0] == (
        "The collection is marked as a rehearsal: its labels are not to be used as real ones."
    )


def test_labels_of_machines_and_files_are_told_apart_from_peoples():
    assert sentences(
        people=[
            PEOPLE,
            PeopleEntry("import", 2, 9, (4, 4.5, 5)),
            PeopleEntry("simulated", 1, 1, (1, 1.0, 1)),
        ]
    ) == (
        "9 of 100 labels are from files of judgments: their making was not observed here.",
        "1 of 100 labels is of 1 simulated annotator, not of people.",
    )


@pytest.mark.parametrize(
    "low, high, mark, use", [(0.6, 0.99, "0.667", "tentative"), (0.7, 0.99, "0.8", "firm")]
)
def test_alpha_is_held_to_the_mark_that_its_intervals_lower_end_misses(low, high, mark, use):
    assert agreement(low=low, high=high) == (
        f"Krippendorff's alpha is 0.9000, with an interval of {low:.4f} to 0.9900: it is not shown "
        f"to reach {mark}, by convention the mark for {use} conclusions (Krippendorff 2004).",
    )


def test_alpha_is_held_to_the_marks_that_the_release_names():
    assert agreement(low=0.7, tentative=0.6, firm=0.7) == ()
    assert agreement(low=0.7, tentative=0.75, firm=0.9)[0].endswith(
        "not shown to reach 0.75, the mark of this collection for tentative conclusions."
    )


def test_alpha_whose_interval_reaches_the_firm_mark_as_printed_is_no_limit():
    assert agreement(low=0.79996) == ()
    assert len(agreement(low=0.79994)) == 1


def test_undefined_agreement_and_a_missing_interval_say_why():
    reason = "no pair has two planned labels yet"
    assert agreement(alpha=None, low=None, high=None, undefined=reason) == (
        f"Agreement of the labels is not known, as alpha is undefined: {reason}.",
    )
    reason = "all labels are of one of the videos"
    assert agreement(low=None, high=None, undefined=reason) == (
        f"Krippendorff's alpha is 0.9000, without an interval: {reason}.",
    )


def test_pairs_without_a_grade_of_their_own_are_counted():
    assert counts(n_disputed=2, n_open=1_200, n_propagated=3, n_refused_positives=1) == (
        "2 disputed pairs have no grade by people.",
        "1,200 pairs of open pools wait for labels.",
        "3 pairs of duplicates take the grades of their originals, which people gave to those.",
        "1 positive of reference sets is not relevant by people: the labels of a reference alone "
        "still count such pairs as relevant.",
    )
    assert counts(n_disputed=1, n_open=1, n_propagated=1, n_refused_positives=2) == (
        "1 disputed pair has no grade by people.",
        "1 pair of open pools waits for labels.",
        "1 pair of a duplicate takes the grade of its original, which people gave to those.",
        "2 positives of reference sets are not relevant by people: the labels of a reference "
        "alone still count such pairs as relevant.",
    )


def test_the_run_with_the_fewest_judged_results_is_named():
    scores = [
        SCORE,
        replace(SCORE, run="run-01", mean=0.625),
        replace(SCORE, run="none", mean=None),
        replace(SCORE, run="by a reference", label_source="none:original", mean=0.01),
        replace(SCORE, run="another measure", measure="AP", mean=0.02),
    ]
    unjudged = "In scores a pair without a label counts as not relevant."
    assert sentences(scores=scores) == (
        unjudged,
        "Of the first 10 results of run-01, 62.5 % are judged by people over reference “original” "
        "(query set “all”, forward): no run here has a smaller share.",
    )
    assert sentences(scores=[replace(SCORE, mean=1.0)]) == (unjudged,)


FAVOUR = (
    "Labels favour the runs that contributed to pools: a new run may return relevant results that "
    "nobody judged."
)


def depth_sentence(depth, targets):
    return (
        f"Pools take results of runs down to rank {depth} at most: relevant {targets} that no "
        "pooled run ranks so high may be without a label."
    )


def test_pools_tell_their_largest_depth_by_direction_and_that_they_favour_their_runs():
    assert pools(
        {}, {"depth": 20}, {"direction": "reverse"}, {"direction": "both", "depth": 5}
    ) == (
        depth_sentence(20, "documents"),
        depth_sentence(10, "queries"),
        depth_sentence(5, "documents and queries"),
        FAVOUR,
    )


def test_pools_without_ranks_and_runs_favour_nobody():
    assert pools({"depth": None, "runs": (), "strategy": "exhaustive"}) == ()


def test_pools_with_hidden_runs_are_told_without_these():
    texts = pools({"n_hidden_runs": 2, "runs": ()}, {"name": "second"})
    assert texts[1:] == (
        FAVOUR,
        "Runs that are not part of the release brought pairs to pool “first”, too.",
    )


def test_samples_need_estimates():
    assert {DRAWN_PAIRS, DRAWN_SOURCES} < set(STRATEGIES)
    texts = pools({"strategy": DRAWN_PAIRS}, {"strategy": DRAWN_PAIRS, "name": "Second"})
    assert texts[-1] == (
        "Pools “first” and “Second” are samples: scores that count pairs that were not drawn as "
        "not relevant are off, and estimates have to weigh the strata."
    )
    assert pools({"strategy": DRAWN_SOURCES})[-1] == (
        "Pool “first” holds pairs of some queries alone, drawn at random: others may have no "
        "label by people."
    )


def test_query_sets_of_fewer_queries_than_trec_has_are_named():
    query_sets = [
        QuerySetEntry("all", "forward", 50, None, ""),
        QuerySetEntry("fold 1", "forward", 49, None, ""),
        QuerySetEntry("all", "reverse", 1, None, ""),
    ]
    assert sentences(query_sets=query_sets) == (
        "Differences between runs are often due to chance over fewer than 50 queries, the usual "
        "number of a TREC task: “fold 1” (49 queries), “all” (1 document).",
    )
