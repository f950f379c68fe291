"""Differences of runs by a method of the leaderboard, from the database or a file."""

import hashlib
from typing import Any

import numpy as np

from metrics.charts.analyses.nouns import Nouns
from metrics.charts.analyses.systems.difference_bars import RunNames
from metrics.charts.analyses.systems.differences import differences_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.systems.differences import SystemDifferences, system_differences
from metrics.core.comparisons.binary_scores import are_zero_one
from metrics.core.comparisons.missing_queries import MISSING_ZERO
from metrics.core.comparisons.run_comparison import RANDOMIZATION, Verdicts, decide
from metrics.core.measures.measures import parse_one
from metrics.services.analysis.analyses import (
    AnalysisRequest,
    FileRequest,
    ReportProgress,
    ignore_progress,
)
from metrics.services.analysis.shared_values import shared_value
from metrics.services.analysis.systems.topic_scores import (
    TopicScores,
    topic_scores,
    topic_scores_of_file,
)
from metrics.services.leaderboard.computation import RULES
from metrics.services.leaderboard.decisions import MeasureDecision, notes


def differences(request: AnalysisRequest) -> AnalysisResult:
    """The order of the chosen runs by a measure, and which do not differ."""
    spec = request.spec
    return _result(topic_scores(request), spec.scores.method, request.report_progress, spec.mark)


def differences_of_file(request: FileRequest) -> AnalysisResult:
    """The order of the runs of a file of topics by runs, and which do not differ."""
    return _result(topic_scores_of_file(request), request.method, ignore_progress)


def _result(
    scores: TopicScores, method: str, report_progress: ReportProgress, mark: str = ""
) -> AnalysisResult:
    outcome = decided(scores, method, report_progress)
    return differences_result(outcome, names_of(scores, mark), with_notes(scores, outcome, method))


def decided(
    scores: TopicScores, method: str, report_progress: ReportProgress = ignore_progress
) -> SystemDifferences:
    """Decide which runs differ, by one of the leaderboard's methods.

    The decision hangs on the scores alone, and the two analyses of a collection that need it share
    it; of a file it is decided on the spot, without cache or database.
    report_progress : told how many of the random draws are done
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
    digest = hashlib.sha256(f"{RULES} {method} {scores.values.shape}".encode())
    for array in (scores.larger_better, of_query, weight):
        digest.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
    digest.update(" ".join(Verdicts._fields).encode())
    key = f"verdicts-{digest.hexdigest()}"
    fields = shared_value(key, verdict_fields) if scores.keys else verdict_fields()
    return system_differences(
        scores.values,
        groups=scores.groups,
        method=method,
        are_shares=bool(scores.measure) and parse_one(scores.measure).is_share,
        smaller_is_better=scores.smaller_is_better,
        verdicts=verdicts_from_json(fields),
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
    decision = MeasureDecision(
        measure=scores.measure or "the file",
        why="",
        groups=[],
        n_decided=outcome.n_differing,
        n_pairs=outcome.n_pairs,
        unseparated=[],
        letters={},
        facts=facts,
    )
    sentences = notes([decision], over=scores.extent, unit=scores.unit)
    # the leaderboard's mark stands in no table here
    sentences = [sentence.replace(" (‡)", "") for sentence in sentences]
    return scores.nouns._replace(notes=[*scores.notes, *sentences])
