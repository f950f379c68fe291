"""The table and heat map of how often each two annotators gave a pair the same grade."""

import re
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.core.phrases import counted
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, interval_text
from metrics.core.analyses.labels.person_pairs import PersonPairs
from metrics.core.statistics.intervals import Interval

FEWEST = 30  # pairs in common of two annotators that a headline tells of
MOST_PEOPLE = 30  # with a row and a column of the heat map
# not numbers, which names of annotators may have
LETTERS = [*ascii_uppercase, *(f"A{letter}" for letter in ascii_uppercase)][:MOST_PEOPLE]
LEAST_PEOPLE = 3  # that a heat map is drawn for
MOST_ROWS = 5_000  # pairs of annotators in the table: all of 100 people
COLUMNS = [
    Column("first", "One annotator"),
    Column("second", "Another"),
    Column("n", "Pairs in common"),
    Column("n_equal", "With equal grades"),
    Column("share", "Equal, %", 1),
    Column("low", "Equal from", 1),
    Column("high", "Equal to", 1),
    Column("kappa", "Kappa", 3),
    Column("weighted_kappa", "Kappa, quadratic weights", 3),
    Column("n_all", "Pairs in common, all labels"),
    Column("share_all", "Equal of all labels, %", 1),
]
OF_TWO = (
    "An interval is of two annotators by themselves: the lowest of many shares is low partly by "
    "chance."
)


def person_pairs_result(
    pairs: PersonPairs,
    *,
    names: Sequence[str],
    is_program: NDArray[np.bool_],
    groups: str,
    notes: Sequence[str],
) -> AnalysisResult:
    """A row for each two annotators, those with most pairs in common first.

    names, is_program : of the annotators that the pairs number; programs are in no headline
    groups : what intervals draw, in the plural
    """
    order = np.lexsort((pairs.second, pairs.first, -pairs.n_all, -pairs.n))
    n_people = len(np.union1d(pairs.first, pairs.second))
    people = sorted(_most_labels(pairs), key=lambda person: name_parts(names[person]))
    spec = _heat_map(pairs, people, names) if len(people) >= LEAST_PEOPLE else None
    own_notes = [OF_TWO]
    if spec and n_people > MOST_PEOPLE:
        own_notes.append(
            f"The chart has the {MOST_PEOPLE} annotators with most pairs in common with others, of "
            f"{n_people:,}; the table has all."
        )
    if len(order) > MOST_ROWS:
        own_notes.append(
            f"The table has the {MOST_ROWS:,} pairs of annotators with most pairs in common, of "
            f"{len(order):,}."
        )
    return AnalysisResult(
        headline=_headline(pairs, names, is_program),
        reading=(
            "Each two annotators on the pairs that both labelled: above the diagonal the per cent "
            "of these to which they gave the same grade, below it how many pairs that is of; the "
            "letter of a column is that of its annotator's row. Counted are planned labels, first "
            "ones and doubles; a third one that a disagreement asked for is in the columns of all "
            "labels alone. Kappa is Cohen's: 0 is agreement by "
            "chance, 1 complete; blank where both used one grade only. With quadratic weights a "
            "larger distance of the grades counts more; blank where they have no order. From, to: "
            f"95 % intervals by {groups}; none for fewer than two, and where a few have most pairs."
        ),
        extent=(
            f"{counted(n_people, 'annotator')}, {counted(len(order), 'pair')} of them with labels "
            "in common"
        ),
        columns=COLUMNS,
        rows=[_row(pairs, number, names) for number in order[:MOST_ROWS].tolist()],
        spec=spec,
        notes=[*notes, *own_notes],
    )


def _row(pairs: PersonPairs, number: int, names: Sequence[str]) -> list[Cell]:
    n_all = int(pairs.n_all[number])
    weighted_kappa = pairs.weighted_kappa
    return [
        names[pairs.first[number]],
        names[pairs.second[number]],
        int(pairs.n[number]),
        int(pairs.n_equal[number]),
        *(_cell(100 * values[number]) for values in (pairs.share, pairs.low, pairs.high)),
        _cell(pairs.kappa[number]),
        None if weighted_kappa is None else _cell(weighted_kappa[number]),
        n_all,
        100 * int(pairs.n_all_equal[number]) / n_all,
    ]


def _cell(value: float) -> float | None:
    """A number of an array; None where it is not defined."""
    return None if np.isnan(value) else float(value)


def name_parts(name: str) -> list[tuple[int, str]]:
    """A name to sort by: its numbers by their size, so that 10 is after 9."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part.casefold())
        for part in re.split(r"(\d+)", name)
    ]


def _most_labels(pairs: PersonPairs) -> list[int]:
    """The annotators with most labels on pairs that another one labelled too, most first."""
    n_of_person = np.bincount(
        np.concatenate([pairs.first, pairs.second]), weights=np.tile(pairs.n, 2)
    )
    order = np.lexsort((np.arange(len(n_of_person)), -n_of_person))
    return [person for person in order.tolist() if n_of_person[person]][:MOST_PEOPLE]


def _headline(pairs: PersonPairs, names: Sequence[str], is_program: NDArray[np.bool_]) -> str:
    """The two who agree least; a sentence that claims nothing where nobody shares enough pairs."""
    are_people = ~(is_program[pairs.first] | is_program[pairs.second])
    candidates = np.flatnonzero(are_people & (pairs.n >= FEWEST))
    n_people = len(np.union1d(pairs.first, pairs.second))
    if not len(candidates):
        annotators = counted(n_people, "annotator")
        if not are_people.any():
            return (
                f"{annotators} labelled pairs in common, no two of them people{shares_text(pairs)}"
            )
        return f"{annotators} labelled pairs in common, no two people {FEWEST} or more"
    # of equal shares that of more pairs
    least = candidates[np.lexsort((-pairs.n[candidates], pairs.share[candidates]))[0]]
    interval = Interval(_cell(100 * pairs.low[least]), _cell(100 * pairs.high[least]))
    of_least = (
        f"{100 * pairs.share[least]:.1f} % of {pairs.n[least]:,} pairs "
        f"({interval_text(interval, digits=1)})"
    )
    first, second = names[pairs.first[least]], names[pairs.second[least]]
    if len(candidates) == 1:
        return f"{first} and {second} gave the same grade to {of_least}"
    n, n_equal = int(pairs.n[candidates].sum()), int(pairs.n_equal[candidates].sum())
    n_alike = np.count_nonzero(np.round(pairs.share[candidates] - pairs.share[least], 9) == 0) - 1
    verb = "agree" if n_alike + 1 == len(candidates) else "agree least,"
    alike = f", and {counted(int(n_alike), 'other pair')} as often" if n_alike else ""
    return (
        f"Of the {len(candidates):,} pairs of annotators with {FEWEST} pairs in common or more, "
        f"{first} and {second} {verb} on {of_least}{alike}; all together agree on "
        f"{100 * n_equal / n:.1f} %"
    )


def shares_text(pairs: PersonPairs) -> str:
    """The end of a sentence on the shares of those with enough pairs in common; "" without any."""
    is_enough = pairs.n >= FEWEST
    shares = 100 * pairs.share[is_enough]
    if not len(shares):
        return ""
    subject = "any two" if is_enough.all() else f"any two with {FEWEST} or more"
    least, most = f"{shares.min():.1f}", f"{shares.max():.1f}"
    return f"; {subject} agree on {least if least == most else f'{least} to {most}'} % of theirs"


def _cells(pairs: PersonPairs, people: Sequence[int], names: Sequence[str]) -> list[dict[str, Any]]:
    """Two cells for each two of the people with pairs in common: the share, and their number.

    A row is named by its letter and annotator, a column by its letter.
    """
    number_of = {person: number for number, person in enumerate(people)}
    cells: list[dict[str, Any]] = []
    for first, second, n, share in zip(
        pairs.first.tolist(),
        pairs.second.tolist(),
        pairs.n.tolist(),
        pairs.share.tolist(),
        strict=True,
    ):
        if not n or first not in number_of or second not in number_of:
            continue
        above, below = sorted((number_of[first], number_of[second]))
        above_name, below_name = names[people[above]], names[people[below]]
        common = {"share": 100 * share, "n": n, "people": f"{above_name} and {below_name}"}
        cells += [
            {
                "row": f"{LETTERS[above]}: {above_name}",
                "column": LETTERS[below],
                "text": f"{100 * share:.0f}",
            }
            | {"is_share": True, **common},
            {"row": f"{LETTERS[below]}: {below_name}", "column": LETTERS[above], "text": f"{n:,}"}
            | {"is_share": False, **common},
        ]
    return cells


def _heat_map(pairs: PersonPairs, people: Sequence[int], names: Sequence[str]) -> Spec:
    """A row and a column an annotator: shares above the diagonal, numbers of pairs below it."""
    values = _cells(pairs, people, names)
    letters = LETTERS[: len(people)]
    rows = [f"{letter}: {names[person]}" for letter, person in zip(letters, people, strict=True)]
    # the ramp begins at the ten per cent below the least share, at 90 at most
    start = 10 * (int(min([90, *(value["share"] for value in values)])) // 10)
    # light on dark squares
    is_dark = f"datum.is_share && datum.share > {start + 0.55 * (100 - start):.1f}"
    ink = {"condition": {"test": is_dark, "value": "@surface"}, "value": "@ink"}
    x: Spec = {"field": "column", "type": "ordinal", "title": None}
    x |= {"scale": {"domain": letters}, "axis": {"orient": "top", "labelAngle": 0}}
    y: Spec = {"field": "row", "type": "nominal", "title": None, "scale": {"domain": rows}}
    tooltip = [
        tooltip_row("people", "Annotators"),
        tooltip_row("share", "Equal, %", ".1f"),
        tooltip_row("n", "Pairs in common", ",d"),
    ]
    colour = {
        "condition": {
            "test": "datum.is_share",
            "field": "share",
            "type": "quantitative",
            "legend": None,
            "scale": {"domain": [start, 100], "range": ["@ramp-low", "@ramp-high"]},
        },
        "value": "@surface",
    }
    return {
        # cells keep their size, so that their text can be read; a narrow page scrolls
        "config": {"autosize": {"type": "pad"}},
        "width": {"step": 38},
        "height": {"step": 26},
        "data": {"values": values},
        "encoding": {"x": x, "y": y, "tooltip": tooltip},
        "layer": [
            {
                "mark": {"type": "rect", "stroke": "@line", "strokeWidth": 1},
                "encoding": {"color": colour},
            },
            {
                "mark": {"type": "text", "fontSize": 11},
                "encoding": {
                    "text": {"field": "text"},
                    "color": ink,
                },
            },
        ],
    }
