"""Labels that differ between two tables, against a comparison of two dictionaries."""

from collections import Counter

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.releases.diffs.label_changes import PAIR, PERSON_AND_PAIR, label_changes

NAMES = st.sampled_from(["", "a", "b", "ä", "q10", "q9", "🙂"])
GRADES = st.integers(0, 3)


def table(labels: dict[tuple[str, ...], int], keys: tuple[str, ...]) -> pa.Table:
    """The labels as a table, in the order of the dictionary."""
    columns = {
        name: pa.array([key[i] for key in labels], pa.string()) for i, name in enumerate(keys)
    }
    return pa.table({**columns, "grade": pa.array(list(labels.values()), pa.int32())})


@given(
    st.dictionaries(st.tuples(NAMES, NAMES), GRADES),
    st.dictionaries(st.tuples(NAMES, NAMES), GRADES),
)
def test_changes_are_those_of_two_dictionaries(before, after):
    changes = label_changes(table(before, PAIR), table(after, PAIR), keys=PAIR)
    keys = before.keys() | after.keys()
    expected = [
        (*key, before.get(key), after.get(key))
        for key in sorted(keys, key=lambda key: [part.encode() for part in key])
        if before.get(key) != after.get(key)
    ]
    assert [tuple(row.values()) for row in changes.changes.to_pylist()] == expected
    assert Counter({row[:2]: row.n for row in changes.grades}) == Counter(
        (before.get(key), after.get(key)) for key in keys
    )
    assert changes.n_same + sum(changes.whole[1:]) == len(keys)
    assert changes.whole.n_added == len(after.keys() - before.keys())
    assert changes.whole.n_removed == len(before.keys() - after.keys())
    by_query = {row.name: row for row in changes.counts_by("query")}
    assert set(by_query) == {row[0] for row in expected}
    for name, counts in by_query.items():
        rows = [row for row in expected if row[0] == name]
        assert counts.n_added == sum(row[2] is None for row in rows)
        assert counts.n_removed == sum(row[3] is None for row in rows)
        assert counts.total == len(rows)


def test_queries_and_people_with_the_most_changes_come_first():
    before = {("q1", "d1", "ann"): 0, ("q2", "d1", "bo"): 1, ("q2", "d2", "bo"): 1}
    after = {("q2", "d1", "bo"): 2, ("q2", "d3", "bo"): 0}
    changes = label_changes(
        table(before, PERSON_AND_PAIR), table(after, PERSON_AND_PAIR), keys=PERSON_AND_PAIR
    )
    assert changes.counts_by("annotator") == [("bo", 1, 1, 1), ("ann", 0, 1, 0)]
    assert changes.whole == ("", 1, 2, 1)
