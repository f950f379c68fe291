"""Values that analyses share are computed once, by one of all who want them at the same time."""

from threading import Event

import numpy as np
import pytest

from metrics.charts.analyses.systems.pair_cells import VERDICTS
from metrics.core.comparisons.run_comparison import METHODS, decide
from metrics.score_files.systems import differences
from metrics.score_files.systems.differences import verdicts_as_json, verdicts_from_json
from metrics.services.analysis import shared_values
from metrics.services.analysis.shared_values import cached_arrays, shared_value
from tests.metrics.services.analysis.questions import answer_of, table_of
from tests.metrics.services.analysis.systems.system_study import system_study
from tests.servers.databases import run_concurrently


@pytest.mark.django_db
def test_both_analyses_of_differences_have_one_decision(monkeypatch):
    study, methods = system_study(), []

    def noted(scores, *, method, **arguments):
        methods.append(method)
        return decide(scores, method=method, **arguments)

    monkeypatch.setattr(differences, "decide", noted)
    for method in METHODS:
        places = table_of(study, "differences", decide=method)
        pairs = table_of(study, "pairwise-differences", decide=method)
        assert len(pairs) == 10
        n_pairs = sum(row["verdict"] == VERDICTS[True] for row in pairs)
        assert sum(row["n_differing"] for row in places) == 2 * n_pairs
    assert methods == list(METHODS)
    answer_of(study, "pairwise-differences", measure="nDCG@10")
    answer_of(study, "differences", measure="nDCG@10")
    assert methods == [*METHODS, METHODS[0]]
    answer_of(study, "differences", measure="nDCG@5")
    assert len(methods) == len(METHODS) + 2


@pytest.mark.parametrize("method", METHODS)
def test_verdicts_are_the_same_after_they_were_stored(method):
    scores = np.random.default_rng(0).normal([0, 0.5, 1, 1], 1, (30, 4))
    verdicts = decide(scores, method=method)
    again = verdicts_from_json(verdicts_as_json(verdicts))
    assert again._replace(order=0, significant=0) == verdicts._replace(order=0, significant=0)
    assert (again.order == verdicts.order).all()
    assert (again.significant == verdicts.significant).all() and verdicts.significant.any()


@pytest.mark.django_db
def test_a_value_is_computed_once_a_key():
    keys = []
    for key in ("a", "b", "a"):
        (array,) = cached_arrays(key, lambda key=key: [keys.append(key) or np.array([1.5, 2])])
        assert array.tolist() == [1.5, 2]
    assert keys == ["a", "b"]


@pytest.mark.django_db(transaction=True)
def test_of_two_who_want_a_value_at_once_one_computes_and_the_other_waits(monkeypatch):
    waits, calls = Event(), []
    monkeypatch.setattr(shared_values, "sleep", lambda seconds: waits.set())

    def compute() -> list[bytes]:
        calls.append(1)
        assert waits.wait(60)  # until the other has found it taken
        return [b"value"]

    values = run_concurrently(lambda key: shared_value(key, compute), ["key", "key"])
    assert values == [[b"value"], [b"value"]] and len(calls) == 1
