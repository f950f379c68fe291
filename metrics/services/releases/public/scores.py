"""The leaderboard of a public release: tables of the scores that it was made with."""

from typing import NamedTuple

from annotate.core.phrases import count_of
from metrics.charts.charts import Chart
from metrics.charts.leaderboard import Dot, score_dots
from metrics.core.measures.measures import UnknownMeasure, parse_one
from metrics.core.releases.manifest import Manifest, ScoreEntry
from metrics.services.leaderboard.cells import measure_scale, unit_of
from metrics.services.releases.public.folder import NotInRelease
from metrics.services.releases.public.queries import PLURALS, SIDES

PREFERRED = ("nDCG@10", "AP")  # of these the first that was measured orders the runs
RANK = "rank"


class ScoreSetting(NamedTuple):
    """All that the scores of one table have in common."""

    direction: str
    query_set: str
    label_source: str
    threshold: int


class SettingLink(NamedTuple):
    """A table of scores that can be chosen: its number from 1, its setting in words."""

    number: int
    text: str


class ReleasedScore(NamedTuple):
    """A mean as a page shows it: its text, its interval, and all digits to sort by."""

    text: str
    interval: str
    value: float | None


class ReleasedRun(NamedTuple):
    """A run under its alias, with its scores on the measures in their order."""

    run: str
    cells: list[ReleasedScore | None]
    missing_text: str


class ReleasedBoard(NamedTuple):
    """A table of scores, the best run first, and a chart of one of its measures.

    measures : each with its unit; measure : that of the chart and of the order
    """

    number: int
    links: list[SettingLink]
    measures: list[tuple[str, str]]
    measure: str
    rows: list[ReleasedRun]
    caption: str
    chart: Chart


def released_board(
    *, manifest: Manifest, number: int = 0, measure: str = ""
) -> ReleasedBoard | None:
    """A table of scores; number : from 1, 0 for the usual one. None where there are no scores.

    Raises NotInRelease.
    """
    tables = _tables(manifest)
    if not tables:
        return None
    settings = list(tables)
    if not 0 <= number <= len(settings):
        raise NotInRelease
    number = number or 1 + settings.index(_usual(manifest, settings))
    scores = tables[settings[number - 1]]
    measures = list(dict.fromkeys(score.measure for score in scores))
    usual = next((name for name in PREFERRED if name in measures), measures[0])
    measure = measure or usual
    if measure not in measures:
        raise NotInRelease
    best_first = _best_first([score for score in scores if score.measure == measure], measure)
    return ReleasedBoard(
        number=number,
        links=[
            SettingLink(link_number, _setting_text(manifest, setting))
            for link_number, setting in enumerate(settings, start=1)
        ],
        measures=[(name, _unit(name)) for name in measures],
        measure=measure,
        rows=_rows(scores, measures, [score.run for score in best_first]),
        caption=_caption(settings[number - 1], scores),
        chart=_chart(manifest, best_first, measure, settings[number - 1]),
    )


def _tables(manifest: Manifest) -> dict[ScoreSetting, list[ScoreEntry]]:
    tables: dict[ScoreSetting, list[ScoreEntry]] = {}
    for score in manifest.scores:
        setting = ScoreSetting(
            score.direction, score.query_set, score.label_source, score.threshold
        )
        tables.setdefault(setting, []).append(score)
    return tables


def _usual(manifest: Manifest, settings: list[ScoreSetting]) -> ScoreSetting:
    """The first setting of the first label source, which is the usual one; else the first."""
    keys = [source.key for source in manifest.label_sources[:1]]
    return next((row for row in settings if row.label_source in keys), settings[0])


def _unit(measure: str) -> str:
    try:
        return unit_of(parse_one(measure))
    except UnknownMeasure:
        return "%"


def _best_first(scores: list[ScoreEntry], measure: str) -> list[ScoreEntry]:
    sign = 1 if _unit(measure) == RANK else -1
    return sorted(
        scores,
        key=lambda row: (row.mean is None, sign * (row.mean or 0), row.run.encode()),
    )


def _rows(scores: list[ScoreEntry], measures: list[str], runs: list[str]) -> list[ReleasedRun]:
    cells = {(score.run, score.measure): _cell(score) for score in scores}
    n_missing = {score.run: score.n_missing for score in scores}
    return [
        ReleasedRun(run, [cells.get((run, name)) for name in measures], f"{n_missing[run]:,}")
        for run in dict.fromkeys([*runs, *n_missing])
    ]


def _cell(score: ScoreEntry) -> ReleasedScore:
    factor = _factor(score.measure)
    if score.mean is None:
        return ReleasedScore("undefined", "", None)
    interval = (
        f"{factor * score.low:.1f}–{factor * score.high:.1f}"  # noqa: RUF001 - an interval
        if score.low is not None and score.high is not None
        else ""
    )
    return ReleasedScore(f"{factor * score.mean:.1f}", interval, factor * score.mean)


def _factor(measure: str) -> float:
    try:
        return measure_scale(parse_one(measure))
    except UnknownMeasure:  # of an earlier version
        return 100.0


def _setting_text(manifest: Manifest, setting: ScoreSetting) -> str:
    labels = {source.key: source.label for source in manifest.label_sources}
    source, target = (PLURALS[side] for side in SIDES[setting.direction])
    return (
        f"{source} to {target}, query set “{setting.query_set}”, "
        f"{labels.get(setting.label_source, setting.label_source)}"
    )


def _caption(setting: ScoreSetting, scores: list[ScoreEntry]) -> str:
    n_queries = max(score.n_queries for score in scores)
    nouns = PLURALS[SIDES[setting.direction][0]]
    return (
        f"Means over {count_of(n_queries, nouns)}; a grade of {setting.threshold} or more is "
        "positive, and what has no grade counts as not positive. Beneath each score stands its "
        f"95 % interval. “Missing” counts the {nouns} that a run does not answer."
    )


def _chart(
    manifest: Manifest, best_first: list[ScoreEntry], measure: str, setting: ScoreSetting
) -> Chart:
    factor = _factor(measure)
    dots = [
        Dot(
            run=score.run,
            whole=factor * score.mean,
            reference=None,
            low=None if score.low is None else factor * score.low,
            high=None if score.high is None else factor * score.high,
        )
        for score in best_first
        if score.mean is not None
    ]
    chart = score_dots(
        dots,
        measure=measure,
        unit=_unit(measure),
        id="scores",
        title=f"{measure} of the runs",
    )
    subtitle = f"{_setting_text(manifest, setting)}. {chart.subtitle}"
    return chart._replace(
        subtitle=subtitle[0].upper() + subtitle[1:],
        columns=chart.columns[:-1],
        rows=[row[:-1] for row in chart.rows],
    )
