"""Numbers of queries for an error or a difference, from a collection, with what they cost."""

from annotate.models import QuerySet
from metrics.charts.analyses.planner.differences import difference_result
from metrics.charts.analyses.planner.errors import error_result
from metrics.charts.analyses.planner.plans import JudgingCost
from metrics.charts.results import AnalysisResult
from metrics.score_files.planner import sample_sizes as sizes
from metrics.score_files.systems.topic_scores import TopicScores
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import runs_of
from metrics.services.analysis.planner.judging_costs import DEPTH, judging_cost
from metrics.services.analysis.systems.topic_scores import topic_scores
from pooling.models import Run


def sampling_errors(request: AnalysisRequest) -> AnalysisResult:
    """The error of a sample of the queries for each of the first chosen runs."""
    scores = topic_scores(request, least=1)
    return _with_pool(request, scores, sizes.sampling_errors(scores, request.spec.plan))


def error_distribution(request: AnalysisRequest) -> AnalysisResult:
    """The distribution of the errors at some sizes, for the chosen run in the middle."""
    scores, plan = topic_scores(request, least=1), request.spec.plan
    cost = None if plan.n is None else _cost(request, scores)
    return _with_pool(request, scores, sizes.error_distribution(scores, plan, cost))


def for_error(request: AnalysisRequest) -> AnalysisResult:
    """The queries for each of some errors of a score, with what their judging costs."""
    scores = topic_scores(request, least=1)
    plan = sizes.error_plan(scores, request.spec.plan)
    return _with_pool(request, scores, error_result(plan, _cost(request, scores)))


def for_difference(request: AnalysisRequest) -> AnalysisResult:
    """The queries for each of some differences of two runs, with what their judging costs."""
    scores = topic_scores(request)
    plan = sizes.difference_plan(scores, request.spec.plan)
    return _with_pool(request, scores, difference_result(plan, _cost(request, scores)))


def _query_set(request: AnalysisRequest) -> QuerySet:
    return QuerySet.objects.get(
        collection=request.collection,
        name=request.spec.scores.query_set,
        direction=request.spec.direction,
    )


def _cost(request: AnalysisRequest, scores: TopicScores) -> JudgingCost:
    """The cost of judging a query of the runs whose scores these are."""
    runs = [run for run in runs_of(request, least=1) if run.pk in scores.keys]
    return judging_cost(runs=runs, query_set=_query_set(request))


def _with_pool(
    request: AnalysisRequest, scores: TopicScores, result: AnalysisResult
) -> AnalysisResult:
    """Add the choices of a pool of as many queries as the headline names, or of all."""
    query_set = _query_set(request)
    runs = Run.objects.filter(pk__in=scores.keys)
    keys = list(runs.published().order_by("pk").values_list("pk", flat=True))
    n = len(scores.topics)
    n_sources = result.next_parameters.get("n_sources", [str(n)])
    is_sample = int(n_sources[0]) < n
    parameters = {
        "strategy": ["depth-k-sample" if is_sample else "depth-k"],
        **({"n_sources": n_sources} if is_sample else {}),
        "depth": [str(DEPTH)],
        "query_set": [str(query_set.pk)],
        "runs": [str(key) for key in keys],
    }
    hidden_note = "A pool is of runs that everybody sees: hidden ones are not taken to its form."
    return result._replace(
        next_parameters=parameters,
        next_label=f"Pool a sample of {int(n_sources[0]):,}" if is_sample else f"Pool all {n:,}",
        next_notes=[*result.next_notes, *([hidden_note] if len(keys) < len(scores.keys) else [])],
    )
