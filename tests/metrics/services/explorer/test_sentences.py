"""The sentences of the explorer: its choices, a search, a query's position and agreement.

To see these tests fail: leave out a case of one of them.
"""

import pytest

from annotate.models import Direction, Item, Level, QuerySet, ReferenceSet
from metrics.core.agreement.agreement import Alpha, PercentAgreement
from metrics.core.labels.label_sources import LabelSource
from metrics.explorer_state import ExplorerState, QueryOrder, ResultFilter
from metrics.services.explorer.explorer import ExplorerPage, QueryPanel, QueryPosition
from metrics.services.explorer.query_labels import PairSummary, QueryAgreement
from metrics.services.explorer.search import SearchResults
from pooling.models import Run

STATE = ExplorerState(
    direction=Direction.FORWARD,
    query_set=QuerySet(name="all"),
    label_source=LabelSource.parse("only"),
    reference_set=None,
    available_runs=[],
    runs=[Run(name="a")],
    depth=10,
    result_filter=ResultFilter.ALL,
    order=QueryOrder.LOADED,
    measure="AP",
    seed=0,
    query_id="q9",
    search="",
)
REFERENCED = STATE._replace(reference_set=ReferenceSet(name="gold"))
POSITION = QueryPosition(1, 1200, None, "q2", missing_input="")


def alpha(value, reason=""):
    return Alpha(*[None] * len(Alpha._fields))._replace(level="nominal", value=value, reason=reason)


def percent(share):
    fields = [None] * len(PercentAgreement._fields)
    return PercentAgreement(*fields)._replace(unanimous_units=share)


def test_the_choices_in_few_words():
    assert STATE.summary == "Top 10 · 1 run · all results"
    referenced = STATE._replace(runs=[Run(), Run()], reference_set=ReferenceSet(name="gold"))
    assert referenced.summary == "Top 10 · 2 runs · reference “gold” · all results"


def test_an_unknown_id_is_named():
    assert STATE.unknown_id_text == (
        "Query set “all” holds no query with the id “q9”; look for it by its words."
    )


def test_an_item_that_the_query_set_does_not_hold_has_no_results():
    assert STATE.outside_text == (
        "Query set “all” does not hold it: no run is scored on it there, and no results for it "
        "stand here. A query set that lists it brings them."
    )
    assert STATE._replace(query_set=None).outside_text == (
        "There is no query set in this direction, so no results for it stand here."
    )


@pytest.mark.parametrize(
    ("n", "has_more", "heading", "note"),
    [
        (
            0,
            False,
            "No query with “cat”",
            "Ids are looked through for the whole of it, texts for each of its words.",
        ),
        (1, False, "1 query with “cat”", ""),
        (2, False, "2 queries with “cat”", ""),
        (20, True, "20+ queries with “cat”", "The first 20; more words find fewer."),
    ],
)
def test_a_search_says_what_it_has(n, has_more, heading, note):
    results = SearchResults([Item()] * n, has_more, "cat")
    assert (results.heading, results.note) == (heading, note)


def page(state=STATE, **fields):
    panel = QueryPanel(*[None] * len(QueryPanel._fields))
    return ExplorerPage(state, panel._replace(**fields), is_unknown_id=False, search_results=None)


def test_the_position_names_the_order():
    assert page(position=POSITION).position_text == "1 of 1,200, in the order of the file"
    gained = STATE._replace(order=QueryOrder.GAINED)
    assert (
        page(gained, position=POSITION).position_text
        == "1 of 1,200, raised most by people's labels (AP)"
    )
    waiting = POSITION._replace(missing_input="scores")
    assert page(gained, position=waiting).position_text == "1 of 1,200, in the order of the file"


def test_the_labels_of_a_query_are_counted():
    nobody = "Nobody has labelled a pair of it yet."
    assert page(n_positives=1200).labels_text == f"1,200 known positives. {nobody}"
    agreement = QueryAgreement(1, 0, 0, percent(None), alpha(None, "no unit"))
    assert page(REFERENCED, n_positives=1, agreement=agreement).labels_text == (
        "1 known positive with people's labels over reference “gold”. People labelled 1 of its "
        "pairs, 0 of them twice or more: no agreement to tell yet."
    )


def test_ranks_and_scores_name_their_labels():
    ranks = "Ranks count only targets that the scores count. A green edge: positive"
    assert STATE.ranks_text == f"{ranks}; a dashed one: unjudged."
    assert REFERENCED.ranks_text == (
        f"{ranks} with people's labels over the reference; a dashed one: unjudged."
    )
    assert STATE.scores_text == (
        "In per cent, with people's labels; as last computed in the background."
    )
    assert REFERENCED.scores_text == (
        "In per cent, A (B + C): with people's labels over reference “gold”, with that reference "
        "alone, and the difference; as last computed in the background."
    )


@pytest.mark.parametrize(
    ("n_missed", "n_listed", "start", "end"),
    [
        (1, 1, "1 of 40 stands", "."),
        (2, 2, "2 of 40 stand", "."),
        (31, 30, "31 of 40 stand", "; the first 30, larger grades first."),
    ],
)
def test_missed_positives_are_counted(n_missed, n_listed, start, end):
    text = page(n_missed=n_missed, n_positives=40, missed_positives=[None] * n_listed).missed_text
    assert text == f"{start} below rank 10 of some run shown, or not in it at all{end}"


def test_without_a_query_nothing_is_said():
    empty = ExplorerPage(STATE, None, is_unknown_id=True, search_results=None)
    assert (empty.position_text, empty.labels_text, empty.missed_text) == ("", "", "")


def test_the_agreement_on_a_query():
    agreement = QueryAgreement(1200, 0, 0, percent(None), alpha(None, "no unit"))
    counts = "People labelled 1,200 of its pairs, {} of them twice or more"
    assert agreement.text == f"{counts.format(0)}: no agreement to tell yet."
    shared = agreement._replace(n_shared=8, n_differing=2, percent=percent(0.75))
    differing = "and differently on 2 (all labels equal on 75 %); alpha of all labels (nominal)"
    assert shared.text == f"{counts.format(8)} {differing} not defined: no unit."
    assert shared._replace(alpha=alpha(0.456)).text == f"{counts.format(8)} {differing} 0.46."


def test_the_grades_of_a_pair():
    assert PairSummary().grades_text == ""
    assert PairSummary(levels=(Level(grade=2), Level(grade=0))).grades_text == "2, 0"
