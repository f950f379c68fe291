"""Exclusions by kind and reason, counted again by sorting them."""

from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from metrics.core.analyses.labels.exclusions import Excluded, exclusions_by_reason
from tests.sizes import cases

REASONS = st.sampled_from(["blank", "Blank", " no  picture", "no picture", "wrong"])
EXCLUSIONS = st.lists(
    st.builds(Excluded, st.sampled_from(["query", "document", "pair"]), REASONS, st.integers(0, 9)),
    max_size=30,
)


def plain(row):
    return row.kind, " ".join(row.reason.lower().split())


@cases(300)
@given(EXCLUSIONS)
def test_exclusions_are_counted_by_kind_and_reason(exclusions):
    ours = exclusions_by_reason(exclusions)
    theirs = {
        key: (len(rows), sum(row.n_labels for row in rows))
        for key, group in groupby(sorted(exclusions, key=plain), key=plain)
        if (rows := list(group))
    }
    assert {plain(total): (total.n, total.n_labels) for total in ours} == theirs
    assert len(ours) == len(theirs)
    assert [total.n for total in ours] == sorted((total.n for total in ours), reverse=True)


def test_a_reason_is_spelled_as_it_first_occurs():
    rows = [Excluded("query", "No picture", 2), Excluded("query", "no  picture", 1)]
    assert exclusions_by_reason(rows) == [("query", "No picture", 2, 3)]


def test_of_equal_counts_kinds_and_reasons_are_in_their_order():
    rows = [Excluded("query", "b", 0), Excluded("query", "a", 0), Excluded("document", "c", 0)]
    assert [total.reason for total in exclusions_by_reason(rows)] == ["c", "a", "b"]
    assert exclusions_by_reason([]) == []
