"""The conclusions on runs under other label sets: table and chart."""

from collections.abc import Sequence

from annotate.core.phrases import count_of, counted
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.analyses.pool.earlier_labels import EarlierConclusion, advice_notes
from metrics.charts.analyses.pool.label_set_words import (
    MeasureWords,
    SetKind,
    SetWords,
    loss_notes,
    sameness_notes,
)
from metrics.charts.axes import LINE, broken_axis
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.core.analyses.pool.conclusions import TOP, Conclusion, Conclusions

MOST_SETS = 44  # of the chart
FEWEST = 30  # groups of queries from which on a headline says what lasts
TAUS = ("tau-b", "tau-AP")
MOST_NAMED = 2  # label sets in a headline
NO_COUNTS = (None, None, None, None)  # of pairs by their grades, under bounds


def conclusions_result(
    outcome: Conclusions,
    sets: Sequence[SetWords],
    *,
    runs: Sequence[str],
    measure: MeasureWords,
    n_groups: int,
    unit: str,
    nouns: Nouns,
    earlier: Sequence[Conclusion] = (),
) -> AnalysisResult:
    """The conclusions under each label set; two runs or more.

    sets : those of the outcome, then the earlier ones, which the headline leaves to the notes
    n_groups : of the queries; unit : the plural noun for one
    """
    units, top = count_of(n_groups, unit), min(TOP, len(runs))
    pairs = list(zip(sets, [*outcome.of_sets, *earlier], strict=True))
    advice = advice_notes(
        [EarlierConclusion(*pair) for pair in pairs if pair[0].kind == SetKind.EARLIER],
        n_pairs=outcome.n_pairs,
        n_decided=outcome.n_decided,
        queries=nouns.queries,
    )
    return AnalysisResult(
        headline=_headline(
            outcome,
            sets[: len(outcome.of_sets)],
            n_runs=len(runs),
            measure=measure,
            few_units="" if n_groups >= FEWEST else units,
        ),
        reading=reading_of(top),
        extent=(
            f"{counted(len(runs), 'run')}, of whose {counted(outcome.n_pairs, 'pair')} "
            f"{outcome.n_decided:,} {'differs' if outcome.n_decided == 1 else 'differ'} "
            f"{measure.decision}; {nouns.extent}"
        ),
        columns=columns_of(top),
        rows=[conclusion_cells(label_set, conclusion, runs) for label_set, conclusion in pairs],
        spec=_chart(pairs[:MOST_SETS], runs),
        notes=[
            *advice,
            *sameness_notes(sets),
            *loss_notes(sets),
            *nouns.notes,
            *notes_on_sets(pairs, measure=measure.name, queries=nouns.queries),
        ],
    )


def columns_of(top: int) -> list[Column]:
    """The columns of the table; top : ranks that are looked at by themselves."""
    return [
        Column("kind", "Differs by"),
        Column("labels", "Label set"),
        Column("n_left_out", "Labels left out"),
        Column("n_moved", "Pairs of another grade"),
        Column("n_ungraded", "Pairs without a grade now"),
        Column("n_gained", "Pairs with a grade only here"),
        Column("n_without_people", "Pairs without a grade by people now"),
        Column("tau", "Kendall's tau-b", 3),
        Column("tau_ap", "tau-AP", 3),
        Column("is_top_same", f"First {top} ranks the same"),
        Column("fall", f"Most places that one of the first {top} falls"),
        Column("fallen_run", "Run that does"),
        Column("n_same", "Pairs that differ: same"),
        Column("n_opposite", "Pairs: opposite"),
        Column("n_lost", "Pairs: lost"),
        Column("n_new", "Pairs: new"),
    ]


def reading_of(top: int) -> str:
    """A guide to the chart; top : ranks that are looked at by themselves."""
    return (
        "Each line is another set of labels for the same runs; the lowest and the highest scores "
        "give each run labels of its own, and earlier labels are those that were there before the "
        "last ones came. Circles are Kendall's tau-b between the order of the runs under it and "
        "under the chosen labels, diamonds tau-AP, which weighs the top more: 1 is the same order. "
        "The words count the pairs of runs that differ by Tukey's HSD under the chosen labels: the "
        "same way here (same), the other way round (opposite) or no longer (lost); new pairs "
        "differ here alone. The table of differences goes by the test chosen there. Beneath: "
        f"whether the first {top} ranks are the same, or one of their runs that falls most. Where "
        "much depends on one annotator, second opinions on those labels are worth more than new "
        "ones."
    )


def notes_on_sets(
    pairs: Sequence[tuple[SetWords, Conclusion]], *, measure: str, queries: str
) -> list[str]:
    """Sentences on label sets without finite scores, or without an order, and beyond the chart."""
    notes = []
    if names := [row.title for row, conclusion in pairs if conclusion.n_same is None]:
        notes.append(f"Without a finite {measure} for some {queries}: {', '.join(names)}.")
    if names := [
        row.title
        for row, conclusion in pairs
        if conclusion.n_same is not None and conclusion.fall is None
    ]:
        notes.append(f"All runs are equal by {measure}, without an order: {', '.join(names)}.")
    if len(pairs) > MOST_SETS:
        notes.append(f"Chart: the first {MOST_SETS} of {len(pairs)} label sets.")
    return notes


def conclusion_cells(
    label_set: SetWords, conclusion: Conclusion, runs: Sequence[str]
) -> list[Cell]:
    """A line of the table."""
    top = {True: "yes", False: "no", None: None}[conclusion.is_top_same]
    fallen_run = None if conclusion.fallen_run is None else runs[conclusion.fallen_run]
    return [
        label_set.kind.value,
        label_set.name,
        label_set.n_left_out,
        *(label_set.moves or NO_COUNTS)[:4],
        conclusion.tau,
        conclusion.tau_ap,
        top,
        conclusion.fall,
        fallen_run,
        *conclusion[5:],
    ]


def _headline(
    outcome: Conclusions,
    sets: Sequence[SetWords],
    *,
    n_runs: int,
    measure: MeasureWords,
    few_units: str,
) -> str:
    """The differences that last under the label sets that are others, and what moves most.

    few_units : too few queries, or groups of them, to say that; "" for enough
    """
    pairs = [
        (label_set, conclusion)
        for label_set, conclusion in zip(sets, outcome.of_sets, strict=True)
        if not label_set.is_same
    ]
    n_sets = sum(conclusion.n_same is not None for _, conclusion in pairs)
    if outcome.of_sets and not pairs:
        return (
            f"No other label set differs from the chosen one: how far {counted(n_runs, 'run')} "
            "depend on labels is not known"
        )
    if not n_sets:
        return f"There is no other label set under which {counted(n_runs, 'run')} can be compared"
    label_sets = counted(n_sets, "other label set")
    if few_units:
        return (
            f"{measure.name} of {counted(n_runs, 'run')} under {label_sets}, over only {few_units}"
        )
    if not outcome.n_decided:
        text = (
            f"No two of {counted(n_runs, 'run')} differ {measure.decision} under the chosen labels"
        )
    else:
        verb = "differs" if outcome.n_decided == 1 else "differ"
        text = (
            f"Of {counted(outcome.n_decided, 'pair')} of runs that {verb} {measure.decision}, "
            f"{lasting_text(pairs, outcome.n_lasting)}"
        )
    return f"{text}{moving_text(pairs)}"


def moving_text(pairs: Sequence[tuple[SetWords, Conclusion]]) -> str:
    """The label set that moves the order most, after a semicolon; "" where none has an order."""
    taus = [
        (conclusion.tau, label_set) for label_set, conclusion in pairs if conclusion.tau is not None
    ]
    if not taus:
        return ""
    tau, label_set = min(taus, key=lambda row: row[0])
    if tau >= 1:
        return "; none of them orders the runs otherwise"
    where = name_in_sentence(label_set)
    n_equal = sum(round(value - tau, 9) == 0 for value, _ in taus) - 1
    if n_equal:
        where += f", and as much with {counted(n_equal, 'other label set')}"
    verb = "moves" if len(taus) == n_equal + 1 else "moves most"
    return f"; the order {verb} with {where} (tau-b {tau:.2f})"


def lasting_text(pairs: Sequence[tuple[SetWords, Conclusion]], n_lasting: int) -> str:
    """The differences that last, under the label sets that decide anything; and those that do not.

    pairs : each label set with its conclusion; under one of them at least there is one
    """
    idle = [row for row, conclusion in pairs if conclusion.n_same == 0 and not conclusion.decides]
    n_deciding = sum(conclusion.decides for _, conclusion in pairs)
    if not n_deciding:
        sets = counted(len(idle), "other label set")
        return f"none does so under {sets}, with which no two runs differ at all"
    verb = "does so" if n_lasting in (0, 1) else "do so"
    text = (
        f"{f'{n_lasting:,}' if n_lasting else 'none'} {verb} under {'each of ' * (n_deciding > 1)}"
        f"{counted(n_deciding, 'other label set')}{' too' * (n_lasting > 0)}"
    )
    if not idle:
        return text
    names = [name_in_sentence(label_set) for label_set in idle[:MOST_NAMED]]
    if n_further := len(idle) - len(names):
        names.append(counted(n_further, "more label set"))
    which = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return f"{text}; with {which} no two runs differ"


def name_in_sentence(label_set: SetWords) -> str:
    """A label set after "with"."""
    if label_set.kind == SetKind.UNLABELLED:
        return f"{label_set.title} that unlabelled targets allow"
    if label_set.kind == SetKind.PERSON:
        return f"the labels {label_set.title}"
    return label_set.title


def conclusion_lines(conclusion: Conclusion, runs: Sequence[str]) -> list[str]:
    """The decisions under a label set, and the top of its order where it has one."""
    counts = zip(conclusion[5:], ("same", "opposite", "lost", "new"), strict=True)
    lines = [", ".join(f"{n:,} {word}" for n, word in counts)]
    if conclusion.fallen_run is not None:
        lines.append(f"{runs[conclusion.fallen_run]} falls {conclusion.fall}")
    elif conclusion.is_top_same is not None:
        lines.append(
            f"first {min(TOP, len(runs))} {'' if conclusion.is_top_same else 'not '}the same"
        )
    return lines


def point_encoding(taus: Sequence[float]) -> Spec:
    """Correlations on an axis to 1, by colour, shape and size; taus : all of them."""
    kind: Spec = {"field": "correlation", "type": "nominal", "title": None}
    kind |= {"legend": {"orient": "top"}}
    domain = list(TAUS)
    return {
        "x": {
            "field": "tau",
            "type": "quantitative",
            "title": "Correlation of the two orders",
            "scale": {"domain": [min([0.0, *taus]), 1], "nice": True},
        },
        "color": kind | {"scale": {"domain": domain, "range": ["@blue", "@amber"]}},
        "shape": kind | {"scale": {"domain": domain, "range": ["circle", "diamond"]}},
        # a diamond on a circle leaves its rim to be seen
        "size": kind | {"legend": None, "scale": {"domain": domain, "range": [170, 50]}},
        "tooltip": [
            tooltip_row("set", "Label set"),
            tooltip_row("kind", "Differs by"),
            tooltip_row("correlation", "Correlation"),
            tooltip_row("tau", "Value", ".3f"),
        ],
    }


def _chart(pairs: Sequence[tuple[SetWords, Conclusion]], runs: Sequence[str]) -> Spec | None:
    """Points and words for each label set; None where no set orders the runs."""
    values: list[dict[str, object]] = []
    words: list[dict[str, object]] = []
    taus: list[float] = []
    for label_set, conclusion in pairs:
        fields = {"set": label_set.title, "kind": label_set.kind.value}
        for kind, tau in zip(TAUS, (conclusion.tau, conclusion.tau_ap), strict=True):
            if tau is not None:
                taus.append(tau)
                values.append(fields | {"correlation": kind, "tau": tau})
        if conclusion.n_same is not None:
            words.append(fields | {"text": conclusion_lines(conclusion, runs)})
    if not values:
        return None
    y: Spec = {"field": "set", "type": "nominal", "title": None}
    titles = list(dict.fromkeys(label_set.title for label_set, _ in pairs))
    y |= {"scale": {"domain": titles}, "axis": broken_axis(titles, most=LINE)}
    words_mark = {"type": "text", "align": "left", "dy": 9, "fontSize": 10, "lineHeight": 12}
    return {
        "height": {"step": 52},
        "encoding": {"y": y},
        "layer": [
            {
                "data": {"values": values},
                "mark": {"type": "point", "filled": True, "opacity": 1, "yOffset": -10},
                "encoding": point_encoding(taus),
            },
            {
                "data": {"values": words},
                "mark": words_mark | {"color": "@ink"},
                "encoding": {"x": {"value": 2}, "text": {"field": "text"}},
            },
        ],
    }
