"""The sentences beside the agreement's numbers: intervals, what is not there yet, confused levels.

To see these tests fail: leave out a case of one of them.
"""

import pytest

from metrics.services.dashboard.agreement_page import AgreementFigures, AgreementPanel
from metrics.services.dashboard.details_page import (
    AgreementBreakdown,
    DashboardDetails,
    LevelConfusion,
)

ALPHA = {"value": 0.5, "low": 0.41234, "high": 0.6, "n_replicates": 0, "n_groups": 0, "seed": 7}


@pytest.mark.parametrize(
    ("fields", "text", "note"),
    [
        ({"value": None}, "\N{EN DASH}", ""),
        ({"low": None}, "not defined", "all labels are of one of the queries"),
        ({}, "0.41 to 0.60", ""),
        ({"n_replicates": 1000}, "0.41 to 0.60", "1,000 samples, seed 7"),
        (
            {"n_replicates": 1000, "n_groups": 1200},
            "0.41 to 0.60",
            "1,000 samples of 1,200 queries, seed 7",
        ),
    ],
)
def test_an_interval_names_its_samples(fields, text, note):
    figures = AgreementFigures({**ALPHA, **fields}, None, None)
    panel = AgreementPanel("nominal", [], figures, figures, "queries")
    assert panel.interval_cells == [(text, note)] * 2


def test_what_a_breakdown_lacks():
    shared = AgreementBreakdown("Number of labels", [], needs_shared=True)
    assert (shared.absence, shared.past_absence) == (
        "no pair has two labels",
        "no pair had two labels then",
    )
    single = AgreementBreakdown("Pool", [])
    assert (single.absence, single.past_absence) == (
        "nobody has judged",
        "nobody had judged then",
    )


def test_confused_levels_are_named_with_their_shares():
    details = DashboardDetails(*[None] * len(DashboardDetails._fields))
    assert details._replace(confusions=[]).confusions_text == ""
    confusions = [LevelConfusion("exact", "related", 62.25), LevelConfusion("related", "no", 9)]
    assert details._replace(confusions=confusions).confusions_text == (
        "Of all disagreement: “exact” beside “related” 62 %, “related” beside “no” 9 %."
    )
