"""infNDCG of a sampled pool: its definition written out, TREC's figures, and where it is nDCG."""

import json
from math import floor, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.measures import inferred_measures
from metrics.core.measures.alignment import LabelledPairs, Rankings, align
from metrics.core.measures.measures import parse_one
from tests.assayer.commands.files.running import output_of
from tests.metrics.core.cases import case
from tests.sizes import cases

QRELS = """
1 0 d01 1 3
1 0 d02 1 0
1 0 d03 1 1
1 0 d04 2 2
1 0 d05 2 -1
1 0 d06 2 0
1 0 d07 2 -1
1 0 d08 2 -1
1 0 d09 3 1
1 0 d10 3 -1
1 0 d11 3 -1
1 0 d12 3 0
1 0 d13 3 -1
2 0 d01 1 0
2 0 d02 2 -1
2 0 d03 2 0
3 0 d01 1 2
3 0 d02 2 3
3 0 d03 2 -1
3 0 d04 2 -1
3 0 d05 3 -1
"""
RUN = """
1 Q0 d04 0 9 tag
1 Q0 d05 0 9 tag
1 Q0 d01 0 8 tag
1 Q0 d77 0 7 tag
1 Q0 d09 0 6 tag
1 Q0 d10 0 5 tag
1 Q0 d02 0 4 tag
2 Q0 d03 0 2 tag
2 Q0 d02 0 1 tag
3 Q0 d02 0 5 tag
3 Q0 d04 0 4 tag
3 Q0 d03 0 4 tag
3 Q0 d05 0 3 tag
3 Q0 d01 0 1 tag
"""
# as sample_eval.pl printed them, NIST's version of 10 October 2011 with -q: a tie, an unpooled
# document, a query without positives, one whose value is above 1, and a stratum of which nothing
# was judged
INFAP = {"1": 0.6667, "2": 0.0, "3": 0.9667}
INFNDCG = {"1": 0.6384, "2": 0.0, "3": 1.3473}


def infndcg_by_definition(ranking: list[int], labels: dict[int, tuple[int, int]], k: int) -> float:
    """Yilmaz et al. 2008 for one query; labels: doc -> (stratum, grade), grade -1 = not sampled."""
    strata = sorted({stratum for stratum, _ in labels.values()})
    dcg = 0.0
    for s in strata:
        inside = [
            (rank, labels[doc][1])
            for rank, doc in enumerate(ranking[:k], 1)
            if labels.get(doc, (-1,))[0] == s
        ]
        judged = [(rank, grade) for rank, grade in inside if grade >= 0]
        if judged:
            dcg += len(inside) / len(judged) * sum(grade / log2(rank + 1) for rank, grade in judged)
    ideal: list[int] = []
    for grade in sorted({grade for _, grade in labels.values() if grade > 0}, reverse=True):
        estimated = 0.0
        for s in strata:
            pooled = [g for t, g in labels.values() if t == s]
            if any(g >= 0 for g in pooled):
                estimated += pooled.count(grade) * len(pooled) / sum(g >= 0 for g in pooled)
        ideal += [grade] * floor(estimated + 0.5)
    best = sum(grade / log2(rank + 1) for rank, grade in enumerate(ideal[:k], 1))
    return dcg / best if best else 0.0


@pytest.mark.parametrize("k", [5, 1000])
@cases(100)
@given(seed=st.integers(0, 2**32))
def test_infndcg_follows_its_definition(k, seed):
    rng = np.random.default_rng(seed)
    generated = case(rng, lowest=-1)
    strata = [{doc: int(rng.integers(0, 3)) for doc in labels} for labels in generated.qrels]
    stratum = np.array(
        [strata[q][doc] for q, labels in enumerate(generated.qrels) for doc in labels]
    )
    expected = [
        infndcg_by_definition(
            ranking, {doc: (strata[q][doc], g) for doc, g in generated.qrels[q].items()}, k
        )
        for q, ranking in enumerate(generated.rankings)
    ]
    assert inferred_measures.inferred_ndcg(generated.ranked, stratum, k=k) == pytest.approx(
        expected, abs=1e-12
    )


def test_files_give_what_trec_s_own_program_printed(tmp_path):
    (tmp_path / "qrels").write_text(QRELS.lstrip())
    (tmp_path / "run").write_text(RUN.lstrip())
    text = output_of(
        "evaluate",
        f"{tmp_path}/run",
        "--qrels",
        f"{tmp_path}/qrels",
        "--measures",
        "xinfAP@1000 infNDCG@1000",
        "--per-query",
        "--json",
    )
    queries = json.loads(text)["queries"]
    assert {query: round(values["xinfAP@1000"], 4) for query, values in queries.items()} == INFAP
    assert {query: round(values["infNDCG@1000"], 4) for query, values in queries.items()} == INFNDCG


def test_infndcg_of_a_fully_judged_pool_is_ndcg():
    ranked = case(np.random.default_rng(1), lowest=0).ranked
    for name in ("nDCG", "nDCG@5"):
        expected = parse_one(name).compute(ranked)
        assert parse_one(f"inf{name[0].upper()}{name[1:]}").compute(ranked) == pytest.approx(
            expected, abs=1e-12
        )
        assert expected.any()


def test_infndcg_without_labels_and_without_judged_ones_is_0():
    run = Rankings(np.array([0, 1]), np.array([1]))
    nothing = np.empty(0, dtype=int)
    assert inferred_measures.extended_inferred_ndcg(
        align(run, LabelledPairs(nothing, nothing, nothing))
    ).tolist() == [0]
    assert inferred_measures.extended_inferred_ndcg(
        align(run, LabelledPairs(*np.array([[0], [1], [-1]])))
    ).tolist() == [0]


def test_an_ideal_longer_than_the_cut_off_ends_there():
    """1,100 of grade 2, 200 of grade 1: sample_eval.pl, which adds one of these, prints .9996."""
    grade = np.repeat([2, 1], [1100, 200])
    docs = np.arange(len(grade))
    ranked = align(
        Rankings(np.array([0, len(docs)]), docs), LabelledPairs(np.zeros_like(docs), docs, grade)
    )
    assert inferred_measures.extended_inferred_ndcg(ranked, k=1000) == pytest.approx(
        [1.0], abs=1e-12
    )
