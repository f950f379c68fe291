"""The register of the analyses of files of scores: a row each, in the order of chapters."""

from metrics.score_files.chapters import measures, planner, systems

SCORE_ANALYSES = {
    analysis.name: analysis
    for analysis in [*measures.ANALYSES, *systems.ANALYSES, *planner.ANALYSES]
}
