"""Protocols: what a collection has for each by the names of its sets, whatever their case."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.labels.protocols import PROTOCOLS, fit_of, fit_of_grades
from metrics.core.measures.measures import parse
from tests.sizes import cases

BY_NAME = {protocol.name: protocol for protocol in PROTOCOLS}
FOLDS = [f"1K fold {number}" for number in (3, 1, 2, 5, 4)]


def fit(name: str, **names):
    fields = {"collection": "COCO test", "sets": [], "query_sets": ["all"], "usual": "all"}
    fields |= {"threshold": 2, **names}
    return fit_of(BY_NAME[name], **fields)


def test_names_stand_once_and_measures_are_as_the_product_writes_them():
    assert len(BY_NAME) == len(PROTOCOLS)
    for protocol in PROTOCOLS:
        assert tuple(measure.name for measure in parse(" ".join(protocol.measures))) == (
            protocol.measures
        )
        assert protocol.n_published[0] <= protocol.n_published[1]


def test_each_protocol_takes_its_reference_set_and_its_queries():
    names = {
        "sets": ["mine", "COCO PMRP", "CxC positives", "ECCV v1", "original"],
        "query_sets": ["all", "Eccv", *FOLDS],
    }
    rows = {name: fit(name, **names) for name in BY_NAME}
    assert {name: (row.label_source, row.query_set) for name, row in rows.items()} == {
        "coco-1k": ("none:original", "1K fold 1"),
        "coco-5k": ("none:original", "all"),
        "cxc": ("none:CxC%20positives", "all"),
        "eccv-caption": ("none:ECCV%20v1", "Eccv"),
        "pmrp": ("none:COCO%20PMRP", "all"),
    }
    thresholds = {name: row.threshold for name, row in rows.items()}
    assert thresholds == {**dict.fromkeys(BY_NAME, 2), "pmrp": 3}
    assert not any(row.gap for row in rows.values())
    assert rows["coco-5k"].text == (
        "Protocol COCO 5K, of ECCV Caption (Chun et al. 2022), Tables 4, D.2 and D.3: C@1, C@5 and "
        "C@10 with reference “original” alone, positive from grade 2, on the query sets “all” of "
        "both directions."
    )
    assert "5 folds of both directions, “1K fold 1” the first" in rows["coco-1k"].text
    assert rows["coco-1k"].label == "COCO 1K (5 folds)"


def test_the_likeliest_names_come_first():
    own_sets = ["eccv-coco", "COCO pairs", "original"]
    row = fit("coco-5k", sets=own_sets, query_sets=["all", "test 5K"])
    assert (row.label_source, row.query_set) == ("none:original", "test 5K")
    row = fit("coco-5k", sets=own_sets[:2], query_sets=["all"])
    assert row.label_source == "none:COCO%20pairs"
    # labels of classes are no pairs of COCO's, and none of CxC's or ECCV's
    names = ["coco plausible", "cxc pmrp", "eccv plausible"]
    assert fit("pmrp", sets=names).label_source == "none:coco%20plausible"
    assert fit("pmrp", sets=names[1:]).label_source == "none:eccv%20plausible"
    for name in ("coco-5k", "cxc", "eccv-caption"):
        assert fit(name, sets=names, query_sets=["all", "eccv"]).gap.startswith("no reference set")
    thirds = [f"part {number}" for number in range(5)]
    assert fit("coco-1k", sets=["coco"], query_sets=[*thirds, *FOLDS]).query_set == "1K fold 1"
    row = fit("coco-1k", sets=["coco"], query_sets=thirds)
    assert not row.query_set and "with “1k” or “fold” in their names" in row.gap


@pytest.mark.parametrize(
    ("name", "names", "gap"),
    [
        ("coco-5k", {"collection": "msr-vtt", "sets": ["original"]}, "neither the collection nor"),
        ("coco-5k", {"sets": ["mine"]}, "no reference set has “original” or “coco” in its name"),
        ("coco-5k", {"sets": ["coco"], "query_sets": []}, "the query set “all” is not of both"),
        ("cxc", {"sets": ["original"]}, "no reference set has “cxc” in its name"),
        ("eccv-caption", {"sets": ["eccv"]}, "no query set of both directions has “eccv” in its"),
        ("coco-1k", {"sets": ["coco"], "query_sets": FOLDS[1:]}, "no 5 query sets of both"),
        ("pmrp", {"sets": ["coco"]}, "no reference set has “plausible” or “pmrp” in its name"),
        ("pmrp", {"sets": ["pmrp"], "query_sets": []}, "the query set “all” is not of both"),
    ],
)
def test_what_is_missing_is_told(name, names, gap):
    row = fit(name, **names)
    assert row.gap.startswith(gap) and (row.label_source, row.query_set) == ("", "")


@pytest.mark.parametrize(
    ("grades", "has"),
    [
        ([], "none"),
        ([1], "positive labels of 1 grade (1)"),
        ([2, 1], "positive labels of 2 grades (1, 2)"),
        ([3], "positive labels of 1 grade (3)"),
        ([1, 2, 3, 4], "positive labels of 4 grades (1, 2, 3, 4)"),
    ],
)
def test_a_set_with_other_grades_than_the_zetas_take_is_a_gap(grades, has):
    row = fit_of_grades(fit("pmrp", sets=["plausible"]), grades)
    assert row.gap == (
        f"reference “plausible” has {has}, and zeta 0, 1, 2 take the grades 3, 2, 1: load the set "
        "that the command “plausible” prints with --zetas 3, into a scheme that has these grades"
    )
    assert (row.label_source, row.query_set) == ("", "")


def test_a_set_with_all_grades_fits_and_other_protocols_take_any():
    row = fit("pmrp", sets=["plausible"])
    assert fit_of_grades(row, [3, 1, 2]) == row
    row = fit("coco-5k", sets=["original"])
    assert fit_of_grades(row, [1]) == row


@given(
    sets=st.lists(st.sampled_from(["a", "CXC", "cxc 2", "Eccv", "original", "my coco"])),
    query_sets=st.lists(st.sampled_from(["all", "5k", "eccv", "cxc all", "x"]), unique=True),
)
@cases(200)
def test_a_fit_has_a_gap_or_names_that_are_there(sets, query_sets):
    for protocol in PROTOCOLS:
        row = fit(protocol.name, sets=sets, query_sets=query_sets)
        has_set = any(word in name.lower() for word in protocol.set_words for name in sets)
        if row.gap:
            assert not row.query_set
        else:
            assert has_set and row.query_set in query_sets
        if not has_set:
            assert row.gap
