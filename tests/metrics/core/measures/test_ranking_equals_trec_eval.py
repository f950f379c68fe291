"""Every measure of trec_eval 9.0.8 (pytrec-eval-terrier) against it, others against ir-measures."""

import shutil

import ir_measures
import numpy as np
import pytest
import pytrec_eval

from metrics.core.measures import measures
from tests.metrics.core.cases import case
from tests.metrics.core.oracles import ir_measure

TREC_EVAL = {
    "AP": "map",
    "AP@5": "map_cut_5",
    "nDCG": "ndcg",
    "nDCG@10": "ndcg_cut_10",
    "P@5": "P_5",
    "P@30": "P_30",
    "R@5": "recall_5",
    "R@30": "recall_30",
    "C@1": "success_1",
    "Success@10": "success_10",
    "Rprec": "Rprec",
    "RR": "recip_rank",
    "Bpref": "bpref",
    "infAP": "infAP",
    "IPrec11": "11pt_avg",
} | {f"IPrec@{r / 10}": f"iprec_at_recall_{r / 10:.2f}" for r in range(11)}
ASKED = {
    "map",
    "map_cut.5",
    "ndcg",
    "ndcg_cut.10",
    "P.5,30",
    "recall.5,30",
    "success.1,10",
    "Rprec",
    "recip_rank",
    "bpref",
    "infAP",
    "11pt_avg",
    "iprec_at_recall",
}


@pytest.mark.parametrize("threshold", [1, 2, 3])
def test_every_value_of_every_query_equals_trec_eval(threshold):
    rng = np.random.default_rng(threshold)
    parsed = measures.parse(" ".join(TREC_EVAL))
    for _ in range(120):
        generated = case(rng)
        oracle = pytrec_eval.RelevanceEvaluator(
            generated.trec_qrels, ASKED, relevance_level=threshold
        )
        expected = oracle.evaluate(generated.trec_run)
        values = measures.evaluate(parsed, generated.ranked, threshold)
        for name, trec_name in TREC_EVAL.items():
            theirs = [
                expected.get(str(q), {}).get(trec_name, 0.0) for q in range(len(generated.qrels))
            ]
            np.testing.assert_allclose(
                values[measures.parse(name)[0].name], theirs, rtol=0, atol=1e-12, err_msg=name
            )


def test_condensed_lists_equal_trec_eval_with_judged_docs_only():
    rng = np.random.default_rng(7)
    for _ in range(60):
        generated = case(rng)
        oracle = pytrec_eval.RelevanceEvaluator(
            generated.trec_qrels, {"map", "ndcg_cut.10"}, judged_docs_only_flag=True
        )
        expected = oracle.evaluate(generated.trec_run)
        computed = measures.evaluate(
            measures.parse("AP(judged_only=True) nDCG(judged_only=True)@10"), generated.ranked
        )
        for ours, theirs in zip(computed.values(), ("map", "ndcg_cut_10"), strict=True):
            values = [
                expected.get(str(q), {}).get(theirs, 0.0) for q in range(len(generated.qrels))
            ]
            np.testing.assert_allclose(ours, values, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["RR@5", "P(rel=2)@5", "AP(rel=2)", "Success@3", "R@7"])
def test_the_names_and_values_of_ir_measures_hold_here(name):
    rng = np.random.default_rng(11)
    for _ in range(30):
        generated = case(rng, lowest=0)
        rows = ir_measures.iter_calc([ir_measure(name)], generated.trec_qrels, generated.trec_run)
        expected = {row.query_id: row.value for row in rows}
        values = measures.parse(name)[0].compute(generated.ranked)
        theirs = [expected.get(str(q), 0.0) for q in range(len(generated.qrels))]
        np.testing.assert_allclose(values, theirs, rtol=0, atol=1e-12)


@pytest.mark.skipif(
    not shutil.which("perl"), reason="gdeval.pl, which ir_measures carries, needs perl"
)
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10"),
        ("ERR(max_grade=4)@5", "ERR@5"),
        ("ERR(max_grade=4)@20", "ERR@20"),
    ],
)
def test_exponential_gain_and_err_equal_gdeval_to_its_five_digits(ours, theirs):
    rng = np.random.default_rng(13)
    for _ in range(5):
        generated = case(rng, lowest=0, highest=4)
        rows = ir_measures.iter_calc([ir_measure(theirs)], generated.trec_qrels, generated.trec_run)
        expected = {row.query_id: row.value for row in rows}
        computed = measures.parse(ours)[0].compute(generated.ranked)
        values = [expected.get(str(q), 0.0) for q in range(len(generated.qrels))]
        np.testing.assert_allclose(computed, values, rtol=0, atol=6e-6)


def test_the_mean_over_all_queries_counts_a_missing_query_as_0_as_trec_eval_c_does():
    generated = case(np.random.default_rng(3), n_queries=20)
    missing = [q for q, ranking in enumerate(generated.rankings) if not ranking]
    values = measures.parse("AP")[0].compute(generated.ranked)
    expected = pytrec_eval.RelevanceEvaluator(generated.trec_qrels, {"map"}).evaluate(
        generated.trec_run
    )
    assert missing
    assert not values[missing].any()
    assert measures.parse("AP")[0].average(values) == pytest.approx(
        sum(v["map"] for v in expected.values()) / 20
    )
