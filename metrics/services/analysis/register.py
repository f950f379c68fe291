"""The register of all analyses: a row each, in the order of chapters and pages."""

from metrics.services.analysis.analyses import Analysis, Chapter
from metrics.services.analysis.chapters import collection, labels, measures, planner, pool, systems

ANALYSES = {
    analysis.name: analysis
    for analysis in [
        *collection.ANALYSES,
        *labels.ANALYSES,
        *measures.ANALYSES,
        *systems.ANALYSES,
        *pool.ANALYSES,
        *planner.ANALYSES,
    ]
}
CHAPTERS = {analysis.chapter.slug: analysis.chapter for analysis in ANALYSES.values()}


def analyses_of(chapter: Chapter) -> list[Analysis]:
    """The analyses of a chapter, in the order of its page."""
    return [analysis for analysis in ANALYSES.values() if analysis.chapter == chapter]
