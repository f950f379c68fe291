"""Systems by every protocol for which a collection has labels and queries."""

from dataclasses import replace

from annotate.models import QuerySet
from metrics.charts.analyses.measures.protocols import ProtocolTable, protocols_result
from metrics.charts.results import AnalysisResult
from metrics.core.labels.protocols import ProtocolFit
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import NO_QUERIES, direction_inputs
from metrics.services.analysis.measures.both_directions import system_table
from metrics.services.analysis.measures.folds import fold_table, folds_of
from metrics.services.analysis.measures.system_runs import SystemRuns, system_runs
from metrics.services.leaderboard.choices.protocols import fits_of
from metrics.services.scores import labels


def by_protocols(request: AnalysisRequest) -> AnalysisResult:
    """Each system's averages by the protocols; raises NotDefined where none can be computed."""
    collection = request.collection
    query_sets = list(QuerySet.objects.filter(collection=collection).order_by("pk"))
    if not query_sets:
        raise NotDefined(NO_QUERIES)
    set_names = labels.set_names(collection=collection)
    fits = fits_of(collection, set_names=set_names, query_sets=query_sets)
    gaps = {fit.protocol.title: fit.gap for fit in fits if fit.gap}
    pairs, notes = system_runs(request)
    tables = []
    for fit in fits:
        if not fit.gap:
            try:
                tables.append(_table(request, fit, pairs))
            except NotDefined as reason:
                gaps[fit.protocol.title] = str(reason).rstrip(".")
    if not tables:
        reasons = " ".join(f"{title}: {gap}." for title, gap in gaps.items())
        raise NotDefined(f"The collection lacks what each protocol takes. {reasons}")
    notes += [note for row in tables for note in row.table.notes]
    notes += [f"Without {title}: {gap}." for title, gap in gaps.items()]
    return protocols_result(tables, notes=list(dict.fromkeys(notes)))


def _table(request: AnalysisRequest, fit: ProtocolFit, pairs: list[SystemRuns]) -> ProtocolTable:
    """Average the systems with the labels, queries and measures of a protocol."""
    scores = replace(
        request.spec.scores,
        label_source=fit.label_source,
        query_set=fit.query_set,
        threshold=fit.threshold,
        measures=fit.protocol.measures,
    )
    protocol_request = request._replace(spec=replace(request.spec, scores=scores))
    if fit.protocol.n_folds:
        return ProtocolTable(
            fit, fold_table(protocol_request, folds_of(protocol_request), pairs, [])
        )
    inputs = direction_inputs(protocol_request)
    return ProtocolTable(fit, system_table(protocol_request, inputs, pairs, []))
