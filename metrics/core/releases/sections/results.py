"""The section on the runs of a release and their scores."""

from collections.abc import Iterable
from typing import NamedTuple

from metrics.core.releases.manifest import LabelSourceEntry, Manifest, RunEntry, ScoreEntry
from metrics.core.releases.sections.markdown import inline, section, table
from metrics.core.releases.sections.numbers import percent, score_cell
from metrics.core.releases.sections.structure import direction_words

JUDGED = ("Judged@1", "Judged@5", "Judged@10")


class ScoreBasis(NamedTuple):
    """All that scores of one table have in common."""

    direction: str
    query_set: str
    label_source: str
    threshold: int


def results(manifest: Manifest) -> str:
    """Return the section Runs and scores."""
    scores = [score for score in manifest.scores if score.measure not in JUDGED]
    shares = sorted(
        (score for score in manifest.scores if score.measure in JUDGED),
        key=lambda score: JUDGED.index(score.measure),
    )
    return "\n\n".join(
        [
            section("Runs and scores"),
            section("Runs", *_runs(manifest), level=3),
            section("Scores", *_scores(scores, manifest.label_sources), level=3),
            section("Share of judged results", *_shares(shares, manifest.label_sources), level=3),
        ]
    )


def _about(run: RunEntry) -> str:
    if not run.is_named:
        return "not told: it stands under an alias"
    texts = (run.system, run.team, run.paper, run.description)
    return "; ".join(text.strip() for text in texts if text.strip()) or "not told"


def _runs(manifest: Manifest) -> list[str]:
    if not manifest.runs:
        return ["This release has no runs."]
    return [
        table(
            ("Run", "Direction", "About", "File", "Order", "Queries", "Without", "Unknown rows"),
            [
                (
                    run.alias,
                    direction_words(run.direction),
                    _about(run),
                    run.file or f"not in this release: {run.no_file or 'the reason is not told'}",
                    f"by {run.score_type}",
                    f"{run.n_queries:,}",
                    f"{run.n_missing:,}",
                    percent(run.unknown_share),
                )
                for run in manifest.runs
            ],
            numbers=3,
        ),
        "“Without” counts the queries that a run does not answer. Unknown rows name items that the "
        "collection does not have. An alias such as run-01 holds in this release alone: another "
        "may give it to another run.",
    ]


def _tables(
    scores: Iterable[ScoreEntry], sources: Iterable[LabelSourceEntry]
) -> list[tuple[ScoreBasis, str, str]]:
    """A table of runs by measures for each basis, with its caption."""
    labels = {source.key: source.label for source in sources}
    groups: dict[ScoreBasis, list[ScoreEntry]] = {}
    for score in scores:
        basis = ScoreBasis(score.direction, score.query_set, score.label_source, score.threshold)
        groups.setdefault(basis, []).append(score)
    tables = []
    for basis, group in groups.items():
        source = labels.get(basis.label_source, basis.label_source)
        caption = (
            f"Direction {direction_words(basis.direction)}, query set “{inline(basis.query_set)}”, "
            f"labels: {inline(source)}, positive from grade {basis.threshold}:"
        )
        tables.append((basis, caption, _score_table(group)))
    return tables


def _score_table(scores: list[ScoreEntry]) -> str:
    measures = list(dict.fromkeys(score.measure for score in scores))
    cells = {
        (score.run, score.measure): score_cell(score.mean, score.low, score.high, score.best)
        for score in scores
    }
    queries = {
        score.run: (f"{score.n_queries:,}", f"{score.n_missing:,}", f"{score.n_with_positive:,}")
        for score in scores
    }
    rows = [
        (run, *(cells.get((run, measure), "not computed") for measure in measures), *counts)
        for run, counts in queries.items()
    ]
    heads = ("Run", *measures, "Queries", "Without", "With a positive")
    return table(heads, rows, numbers=len(measures) + 3)


def _scores(scores: list[ScoreEntry], sources: Iterable[LabelSourceEntry]) -> list[str]:
    if not scores:
        return ["This release has no scores."]
    paragraphs = [
        "A score is the mean over the queries of the set, with its 95 % interval in parentheses. "
        "“At most” is the mean as if every result that is not judged were positive. A mean is "
        "undefined where no query gives it a value. “Without” counts the queries that the run "
        "does not answer, “With a positive” those that have a positive target."
    ]
    for _, caption, rows in _tables(scores, sources):
        paragraphs += [caption, rows]
    return paragraphs


def _shares(shares: list[ScoreEntry], sources: Iterable[LabelSourceEntry]) -> list[str]:
    if not shares:
        return ["This release does not tell how many of the first results are judged."]
    paragraphs = [
        "Judged@k is the share of the first k results of a run that have a grade, as a mean over "
        "the queries. What has no grade counts as not positive: the lower the share, the less a "
        "score says."
    ]
    for _, caption, rows in _tables(shares, sources):
        paragraphs += [caption, rows]
    return paragraphs
