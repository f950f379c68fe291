"""Scores by trec_eval's own code, from dictionaries."""

from collections.abc import Mapping

import pytrec_eval

TREC = {"C@1": "success_1", "AP": "map"}


def values(
    labels: Mapping[tuple[int, int], int], run: Mapping[int, list[int]], *, threshold: int = 1
) -> dict[str, dict[int, float]]:
    """The values of each query of a run, by measure; 0 for a query that has no label.

    labels : (query, target) -> grade; run : query -> its targets, best first
    """
    qrels: dict[str, dict[str, int]] = {}
    for (query, target), grade in labels.items():
        qrels.setdefault(str(query), {})[str(target)] = int(grade >= threshold)
    rankings = {
        str(query): {str(target): 1.0 / rank for rank, target in enumerate(targets, 1)}
        for query, targets in run.items()
    }
    oracle = pytrec_eval.RelevanceEvaluator(qrels, {"success.1", "map"})
    by_query = oracle.evaluate(rankings) if qrels else {}
    return {
        name: {query: by_query.get(str(query), {}).get(trec_name, 0.0) for query in run}
        for name, trec_name in TREC.items()
    }
