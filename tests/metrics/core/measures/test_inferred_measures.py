"""xinfAP of a sampled pool, by its definition and from files."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.measures import inferred_measures
from metrics.core.measures.measures import parse_one
from tests.assayer.commands.files.running import assayer, output_of
from tests.metrics.core.cases import case
from tests.sizes import cases

E = 1e-5


def xinfap_by_definition(ranking: list[int], labels: dict[int, tuple[int, int]]) -> float:
    """Yilmaz et al. 2008 for one query; labels: doc -> (stratum, grade), grade -1 = not sampled."""
    strata = sorted({stratum for stratum, _ in labels.values()})
    pooled = {s: [g for t, g in labels.values() if t == s] for s in strata}
    judged = {s: sum(g >= 0 for g in pooled[s]) for s in strata}
    relevant = {s: sum(g > 0 for g in pooled[s]) for s in strata}
    estimated = {s: relevant[s] * len(pooled[s]) / judged[s] if judged[s] else 0.0 for s in strata}
    total = 0.0
    for s in strata:
        if not relevant[s]:
            continue
        precisions = 0.0
        for rank, doc in enumerate(ranking, start=1):
            if doc in labels and labels[doc][0] == s and labels[doc][1] > 0:
                above = [labels[d] for d in ranking[: rank - 1] if d in labels]
                expected = 1.0
                for t in strata:
                    m = sum(u == t for u, _ in above)
                    n = sum(u == t and g >= 0 for u, g in above)
                    r = sum(u == t and g > 0 for u, g in above)
                    expected += m * (r + E) / (n + 3 * E)
                precisions += expected / rank
        total += estimated[s] * precisions / relevant[s]
    return total / sum(estimated.values()) if sum(estimated.values()) else 0.0


@cases(100)
@given(seed=st.integers(0, 2**32))
def test_xinfap_follows_its_definition(seed):
    rng = np.random.default_rng(seed)
    generated = case(rng, lowest=-1, highest=1)
    strata = [{doc: int(rng.integers(0, 3)) for doc in labels} for labels in generated.qrels]
    stratum = np.array(
        [strata[q][doc] for q, labels in enumerate(generated.qrels) for doc in labels]
    )
    values = inferred_measures.stratified_inferred_ap(generated.ranked, stratum)
    expected = [
        xinfap_by_definition(
            ranking, {doc: (strata[q][doc], g) for doc, g in generated.qrels[q].items()}
        )
        for q, ranking in enumerate(generated.rankings)
    ]
    assert values == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("names", [(0, 1, 2), (1, 2, 7)])
def test_a_stratified_qrels_file_gives_what_sample_eval_does(tmp_path, names):
    """The rule of sample_eval.pl, read from the files that it reads.

    Documents beyond 1,000 are ignored.
    """
    generated = case(np.random.default_rng(6), lowest=-1, highest=1)
    rng = np.random.default_rng(7)
    strata = [{doc: int(rng.integers(0, 3)) for doc in labels} for labels in generated.qrels]
    (tmp_path / "qrels").write_text(
        "".join(
            f"q{q} 0 d{doc} {names[strata[q][doc]]} {grade}\n"
            for q, labels in enumerate(generated.qrels)
            for doc, grade in labels.items()
        )
    )
    (tmp_path / "run").write_text(
        "".join(
            f"q{q} Q0 d{doc} {rank} {-rank} tag\n"
            for q, ranking in enumerate(generated.rankings)
            for rank, doc in enumerate(ranking, 1)
        )
    )
    text = output_of(
        "evaluate",
        f"{tmp_path}/run",
        "--qrels",
        f"{tmp_path}/qrels",
        "--measures",
        "xinfAP@1000",
        "--per-query",
        "--json",
    )
    report = json.loads(text)
    expected = {
        f"q{q}": xinfap_by_definition(
            generated.rankings[q], {doc: (strata[q][doc], grade) for doc, grade in labels.items()}
        )
        for q, labels in enumerate(generated.qrels)
        if labels
    }
    assert {
        query: values["xinfAP@1000"] for query, values in report["queries"].items()
    } == pytest.approx(expected)
    assert report["all"]["xinfAP@1000"] == pytest.approx(np.mean(list(expected.values())))
    assert any(expected.values())


def test_a_pair_on_two_lines_of_a_stratified_file_is_an_error_with_its_line(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 d1 1 1\nq1 0 d2 2 -1\nq1 0 d1 2 0\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 1 tag\n")
    refusal = assayer("evaluate", f"{tmp_path}/run", "--qrels", f"{tmp_path}/qrels").stderr
    assert re.search(r"(?i)line 3.*d1 has a grade for q1 in line 1 already", refusal)


def test_xinfap_of_a_fully_judged_pool_is_ap_and_a_cut_leaves_the_tail_out():
    generated = case(np.random.default_rng(1), lowest=0, highest=1)
    for q, ranking in enumerate(generated.rankings):
        generated.qrels[q].update({doc: generated.qrels[q].get(doc, 0) for doc in ranking})
    stratum = np.zeros(sum(map(len, generated.qrels)), dtype=int)
    ranked = generated.ranked
    assert inferred_measures.stratified_inferred_ap(ranked, stratum) == pytest.approx(
        parse_one("AP").compute(ranked), abs=1e-3
    )
    cut = inferred_measures.stratified_inferred_ap(ranked, stratum, k=10)
    assert cut == pytest.approx(parse_one("AP@10").compute(ranked), abs=1e-3)
