"""Differences of runs by a method of the leaderboard."""

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from metrics.charts.analyses.nouns import Nouns
from metrics.charts.analyses.systems.difference_bars import RunNames
from metrics.charts.analyses.systems.differences import differences_result
from metrics.charts.decision_notes import MeasureTest, notes
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.systems.differences import SystemDifferences, system_differences
from metrics.core.comparisons.binary_scores import are_zero_one
from metrics.core.comparisons.missing_queries import MISSING_ZERO
from metrics.core.comparisons.run_comparison import RANDOMIZATION, Verdicts, decide
from metrics.core.measures.measures import parse_one
from metrics.score_files.requests import (
    FileRequest,
    ReportProgress,
    ignore_progress,
)
from metrics.score_files.systems.topic_scores import (
    TopicScores,
    topic_scores_of_file,
)

Fields = dict[str, Any]
# the fields of a key, from where they are kept, else computed
Recall = Callable[[str, Callable[[], Fields]], Fields]


def computed_anew(key: str, compute: Callable[[], Fields]) -> Fields:
    """Keep nothing: a file is read once."""
    return compute()


def differences_of_file(request: FileRequest) -> AnalysisResult:
    """The order of the runs of a file of topics by runs, and which do not differ."""
    return differences_of_scores(topic_scores_of_file(request), request.method)


def differences_of_scores(
    scores: TopicScores,
    method: str,
    report_progress: ReportProgress = ignore_progress,
    *,
    mark: str = "",
    recall: Recall = computed_anew,
) -> AnalysisResult:
    """The order of the runs, and which do not differ; see `decided`."""
    outcome = decided(scores, method, report_progress, recall)
    return differences_result(outcome, names_of(scores, mark), with_notes(scores, outcome, method))


def decided(
    scores: TopicScores,
    method: str,
    report_progress: ReportProgress = ignore_progress,
    recall: Recall = computed_anew,
) -> SystemDifferences:
    """Decide which runs differ, by one of the leaderboard's methods.

    report_progress : told how many of the random draws are done
    recall : what keeps a decision, which hangs on the scores alone, for those that need it again
    """

    def verdict_fields() -> dict[str, Any]:
        unit = "tosses" if method == RANDOMIZATION else "permutations"
        verdicts = decide(
            scores.larger_better,
            groups=scores.groups,
            method=method,
            report=lambda n_done, total: report_progress(n_done, total, unit),
        )
        return verdicts_as_json(verdicts)

    of_query, weight = scores.groups.of_query, scores.groups.weight
    digest = hashlib.sha256(f"{method} {scores.values.shape}".encode())
    for array in (scores.larger_better, of_query, weight):
        digest.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
    digest.update(" ".join(Verdicts._fields).encode())
    return system_differences(
        scores.values,
        groups=scores.groups,
        method=method,
        are_shares=bool(scores.measure) and parse_one(scores.measure).is_share,
        smaller_is_better=scores.smaller_is_better,
        verdicts=verdicts_from_json(recall(digest.hexdigest(), verdict_fields)),
    )


def verdicts_as_json(verdicts: Verdicts) -> dict[str, Any]:
    """Verdicts as the cache keeps them: the pairs that differ instead of the table of all."""
    pairs = np.argwhere(np.triu(verdicts.significant)).tolist()
    return {**verdicts._asdict(), "order": verdicts.order.tolist(), "significant": pairs}


def verdicts_from_json(fields: dict[str, Any]) -> Verdicts:
    """Verdicts that were stored."""
    order = np.array(fields["order"], dtype=np.int64)
    significant = np.zeros((len(order), len(order)), dtype=bool)
    for first, second in fields["significant"]:
        significant[first, second] = significant[second, first] = True
    return Verdicts(**{**fields, "order": order, "significant": significant})


def names_of(scores: TopicScores, mark: str = "") -> RunNames:
    """The names of the runs, their teams, the measure, of what is independent, and the mark."""
    return RunNames(scores.runs, scores.teams, scores.measure, scores.groups.n, scores.unit, mark)


def with_notes(scores: TopicScores, outcome: SystemDifferences, method: str) -> Nouns:
    """The nouns, with the leaderboard's sentences on the test."""
    facts = {
        "asked": method,
        "method": outcome.verdicts.method,
        "n_samples": outcome.verdicts.n_samples,
        "can_differ": outcome.verdicts.can_differ,
        "q": {} if are_zero_one(scores.values) else None,
        # what misses is told with the scores
        "missing": MISSING_ZERO,
        "n_runs_out": 0,
        "n_queries_out": 0,
    }
    test = MeasureTest(scores.measure or "the file", outcome.n_pairs, facts)
    sentences = notes([test], over=scores.extent, unit=scores.unit)
    # the leaderboard's mark stands in no table here
    sentences = [sentence.replace(" (‡)", "") for sentence in sentences]
    return scores.nouns._replace(notes=[*scores.notes, *sentences])
