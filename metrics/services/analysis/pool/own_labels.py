"""Scores of runs without the labels that they, or their teams, alone brought."""

import numpy as np

from annotate.core.phrases import counted
from metrics.charts.analyses.pool.own_labels import PooledRun, own_labels_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.pool.own_labels import without_own_labels
from metrics.core.measures import measures
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import names_of, nouns_of, refuse_estimates, with_sample_note
from metrics.services.analysis.pool.brought import brought_labels


def unique_positives(request: AnalysisRequest) -> AnalysisResult:
    """Each chosen run with all labels and without its own, with and without its team's."""
    brought = brought_labels(request, least=1)
    inputs, n_runs = brought.inputs, len(brought.runs)
    refuse_estimates(inputs, [brought.runs[row] for row in brought.chosen_rows])
    losses = without_own_labels(
        ((row, brought.ranked(row)) for row in brought.chosen_rows),
        brought.labels,
        brought.is_brought,
        teams=brought.teams,
        is_counted=brought.is_own,
        measures=measures.with_scale(inputs.measures, inputs.labels.whole.grade),
        threshold=inputs.spec.threshold,
        groups=inputs.groups,
    )
    names = names_of([brought.runs[row] for row in brought.chosen_rows])
    runs = [
        PooledRun(
            name,
            brought.runs[row].team,
            brought.is_pooled[row],
            [loss for loss in losses if loss.run == row],
        )
        for name, row in zip(names, brought.chosen_rows, strict=True)
    ]
    runs.sort(key=lambda run: (run.losses[0].rank or n_runs + 1, run.name))
    nouns = with_sample_note(nouns_of(inputs), inputs, of="numbers of positives")
    n_alone = int(np.count_nonzero(brought.is_own & ~brought.is_brought.any(axis=0)))
    notes = list(nouns.notes)
    if n_alone:
        verb = "is" if n_alone == 1 else "are"
        notes.append(
            f"{counted(n_alone, 'label')} {verb} of pairs that no run in use brought, as those of "
            "imports are: never taken away."
        )
    return own_labels_result(
        runs,
        n_labels=int(np.count_nonzero(brought.is_own)),
        depths=brought.depths,
        nouns=nouns._replace(notes=notes),
    )
