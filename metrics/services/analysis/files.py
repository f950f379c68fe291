"""Findings as one JSON object."""

from typing import Any

from annotate.core.files.spreadsheet_cells import timestamp
from metrics.score_files.choices import Choice
from metrics.services.analysis.analyses import Analysis
from metrics.services.analysis.choices import SharedChoices
from metrics.services.analysis.computation import AnalysisAnswer
from metrics.services.analysis.page import caption_of

COLUMN = ("key", "title", "digits", "is_bound")  # the fields of a column


def as_row(analysis: Analysis) -> dict[str, Any]:
    """A row of the register as JSON."""
    return {
        "name": analysis.name,
        "chapter": analysis.chapter.slug,
        "question": analysis.question,
        "paper": analysis.paper,
        "definition": analysis.definition,
        "parameters": analysis.parameter_names,
    }


def as_json(
    *, analysis: Analysis, choices: SharedChoices, answer: AnalysisAnswer
) -> dict[str, Any]:
    """The result with its choices, or the reason why there is none, as one JSON object."""
    spec = analysis.spec(choices)
    names = {run.pk: run.name for run in choices.runs}
    values = {
        "query_set": (Choice.QUERIES, spec.scores.query_set),
        "label_source": (Choice.LABELS, spec.scores.label_source),
        "threshold": (Choice.THRESHOLD, spec.scores.threshold),
        "measures": (Choice.MEASURE, list(spec.scores.measures)),
        "method": (Choice.METHOD, spec.scores.method),
        "missing": (Choice.MISSING, spec.scores.missing),
        "runs": (Choice.RUNS, sorted(names[pk] for pk in spec.scores.runs)),
        "mark": (Choice.MARK, spec.mark),
    }
    values |= {name: (Choice(name), value) for name, value in spec.plan._asdict().items()}
    return {
        **as_row(analysis),
        "collection": choices.collection.slug,
        "direction": None if analysis.of_pairs else spec.direction,
        "protocol": choices.protocol.protocol.name if choices.protocol else None,
        **{
            name: value if choice in analysis.choices else None
            for name, (choice, value) in values.items()
        },
        "computed_at": timestamp(answer.computed_at),
        "is_stale": answer.is_stale,
        "not_defined": answer.reason or None,
        **_result_fields(analysis, choices, answer),
    }


def _result_fields(
    analysis: Analysis, choices: SharedChoices, answer: AnalysisAnswer
) -> dict[str, Any]:
    result = answer.result
    if result is None:
        return dict.fromkeys(("headline", "caption", "notes", "columns", "rows", "spec"))
    return {
        "headline": result.headline,
        "caption": f"{result.reading} {caption_of(analysis, choices, answer)}",
        "notes": result.notes,
        "columns": [{name: getattr(column, name) for name in COLUMN} for column in result.columns],
        "rows": result.rows,
        "spec": result.spec,
    }
