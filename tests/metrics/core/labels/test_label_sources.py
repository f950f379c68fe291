"""Label sources: their keys, and the grades that count."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.labels.label_sources import (
    LabelSource,
    People,
    RequestedSource,
    UnknownLabelSource,
    kept_sources,
    larger_grades,
    sorted_grades,
    usual_source,
)

PEOPLE = sorted_grades(np.array([[2, 7, 0], [1, 9, 2], [1, 8, 1]]))
REFERENCE = sorted_grades(np.array([[1, 8, 3], [2, 7, 2], [3, 5, 1]]))
OTHER = sorted_grades(np.array([[1, 8, 0], [2, 7, 3], [4, 4, 2]]))
NOTHING = sorted_grades(np.zeros((0, 3), dtype=np.int64))


def as_dict(grades):
    return {(s, t): g for s, t, g in zip(*(column.tolist() for column in grades), strict=True)}


def grades(key, people, *references):
    return LabelSource.parse(key).grades(people, references)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("over:a", {(1, 8): 1, (1, 9): 2, (2, 7): 0, (3, 5): 1}),
        ("union:a", {(1, 8): 3, (1, 9): 2, (2, 7): 2, (3, 5): 1}),
        ("only", {(1, 8): 1, (1, 9): 2, (2, 7): 0}),
        ("none:a", {(1, 8): 3, (2, 7): 2, (3, 5): 1}),
    ],
)
def test_each_label_source_takes_its_own_grade(key, expected):
    assert as_dict(grades(key, PEOPLE, REFERENCE)) == expected


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("over:a,b", {(1, 8): 1, (1, 9): 2, (2, 7): 0, (3, 5): 1, (4, 4): 2}),
        ("union:a,b", {(1, 8): 3, (1, 9): 2, (2, 7): 3, (3, 5): 1, (4, 4): 2}),
        ("none:a,b", {(1, 8): 3, (2, 7): 3, (3, 5): 1, (4, 4): 2}),
    ],
)
def test_of_several_sets_the_larger_grade_stands_then_people_by_the_word(key, expected):
    assert as_dict(grades(key, PEOPLE, REFERENCE, OTHER)) == expected
    assert as_dict(grades(key, PEOPLE, OTHER, REFERENCE)) == expected


def test_grades_come_out_ordered_by_source_and_target():
    merged = grades("union:a", PEOPLE, REFERENCE)
    assert list(zip(merged.source.tolist(), merged.target.tolist(), strict=True)) == [
        (1, 8),
        (1, 9),
        (2, 7),
        (3, 5),
    ]


def test_without_labels_there_is_nothing_to_merge():
    assert as_dict(grades("over:a", NOTHING, NOTHING)) == as_dict(larger_grades([])) == {}


def test_two_labels_on_one_pair_are_refused():
    with pytest.raises(ValueError, match="two labels"):
        sorted_grades(np.array([[1, 2, 0], [1, 2, 1]]))


tables = st.dictionaries(st.tuples(st.integers(1, 4), st.integers(1, 4)), st.integers(0, 3))


def columns(table):
    return sorted_grades(
        np.array([[s, t, g] for (s, t), g in table.items()], dtype=np.int64).reshape(-1, 3)
    )


@given(tables, st.lists(tables, min_size=1, max_size=3))
def test_merging_agrees_with_plain_dictionaries(people, references):
    joined: dict = {}
    for table in references:
        joined |= {pair: max(grade, joined.get(pair, 0)) for pair, grade in table.items()}
    people_grades, reference_grades = columns(people), [columns(table) for table in references]
    assert as_dict(grades("over:a", people_grades, *reference_grades)) == {**joined, **people}
    assert as_dict(grades("none:a", people_grades, *reference_grades)) == joined
    largest = {pair: max(people.get(pair, 0), joined.get(pair, 0)) for pair in {**people, **joined}}
    assert as_dict(grades("union:a", people_grades, *reference_grades)) == largest


@pytest.mark.parametrize(
    ("key", "canonical"),
    [
        ("only", "only"),
        ("none:b,a,b", "none:a,b"),
        ("over:my set", "over:my%20set"),
        ("over:my%20set", "over:my%20set"),
        ("over:a%2Cb", "over:a%2Cb"),
        ("over:v1.0:x", "over:v1.0:x"),
    ],
)
def test_equal_sources_have_one_key(key, canonical):
    assert LabelSource.parse(key).key == canonical
    assert LabelSource.parse(canonical) == LabelSource.parse(key)


@given(
    st.sampled_from(["over", "union", "none"]),
    st.lists(st.text(min_size=1).filter(str.strip), min_size=1),
)
def test_any_names_go_into_a_key_and_come_out_again(people, names):
    names = [name for name in names if name.isprintable()] or ["a"]
    source = LabelSource.of(people, names)
    assert LabelSource.parse(source.key) == source
    assert source.sets == tuple(sorted(set(names)))
    assert not set(source.key) & set(" &+#\t\n")


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("none", "needs a reference set"),
        ("none:", "needs a reference set"),
        ("union", "needs a reference set, as in union:NAME; it has original, cxc; or take"),
        ("only:cxc", "takes no reference set: leave out"),
        (
            "people_over_reference",
            "says no part of people's labels: one of over:original, union:original, "
            "none:original, only; as reference sets it has original, cxc.",
        ),
        ("over:cxc,strange", 'no reference set "strange"; it has original, cxc'),
    ],
)
def test_what_names_no_source_is_refused_with_what_there_is(key, message):
    with pytest.raises(UnknownLabelSource, match=message):
        RequestedSource(key).among(["original", "cxc"])


def test_the_ways_are_listed_of_one_reference_set_without_any_and_of_no_collection():
    with pytest.raises(UnknownLabelSource, match="one of over:a, union:a, none:a, only"):
        RequestedSource("nope").among(["a"])
    with pytest.raises(UnknownLabelSource, match='there is "only", as the collection has no ref'):
        RequestedSource("nope").among([])
    with pytest.raises(UnknownLabelSource, match="one of over, union, only, none"):
        RequestedSource("nope").source()


@pytest.mark.parametrize(
    ("word", "sets", "key"),
    [
        ("", ["cxc"], "over:cxc"),
        ("union", ["cxc", "original"], "union:cxc,original"),
        ("only", ["cxc"], "only"),
        ("over:cxc, original", [], "over:cxc,original"),
        (" none:a%2C%20b ", [], "none:a%2C%20b"),
    ],
)
def test_a_source_is_asked_for_by_a_key_or_by_its_parts(word, sets, key):
    requested = RequestedSource(word, tuple(sets))
    assert requested.among(["a, b", "cxc", "original"]).key == key
    assert requested.people == key.partition(":")[0] and (
        key == "only" or sorted(requested.names) == list(requested.source().sets)
    )


def test_a_key_with_sets_beside_it_and_names_that_keys_quote_are_told():
    with pytest.raises(UnknownLabelSource, match='"over:a" names its reference sets itself'):
        RequestedSource("over:a", ("b",)).source()
    with pytest.raises(UnknownLabelSource, match="it has, as keys write them, a%2C%20b"):
        RequestedSource("over:a").among(["a, b"])


def test_the_usual_source_is_people_over_the_oldest_set_and_alone_without_any():
    assert usual_source(["original", "cxc"]).key == "over:original"
    assert usual_source([]).key == "only"
    assert [source.key for source in kept_sources(["b", "a"])] == [
        "over:b",
        "none:b",
        "over:a",
        "none:a",
    ]
    assert [source.key for source in kept_sources([])] == ["only"]


def test_a_source_says_itself_in_words():
    two = LabelSource.of(People.UNION, ["original", "cxc"])
    assert two.label == "the larger grade of people and references “cxc”, “original”"
    assert two.reference.label == "references “cxc”, “original” only"
    assert LabelSource.parse("over:a").label == "people over reference “a”"
    assert LabelSource.parse("only").label == "people only"
