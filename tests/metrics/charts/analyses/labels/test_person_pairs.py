"""The sentence, table and heat map of agreement by person: no claim of a few pairs in common."""

import numpy as np
import pytest

from metrics.charts.analyses.labels.person_pairs import person_pairs_result
from metrics.core.analyses.labels.person_pairs import AnnotatorLabels, agreement_by_person


def labels_of(people, *, n=40, n_wrong=(), is_planned=True, n_groups=None):
    """Everybody labels the same n pairs; of each person the first ones are wrong.

    Each pair is of a query of its own, or of one of n_groups.
    """
    wrong = dict(enumerate(n_wrong))
    pair = np.tile(np.arange(n), people)
    annotator = np.repeat(np.arange(people), n)
    grade = pair % 2
    is_wrong = pair < np.array([wrong.get(person, 0) for person in annotator])
    planned = np.full(len(pair), is_planned)
    group = pair % (n_groups or n)
    return AnnotatorLabels(pair, annotator, np.where(is_wrong, 1 - grade, grade), planned, group)


def result(people, *, programs=(), **options):
    pairs = agreement_by_person(
        labels_of(people, **options), n_annotators=people, domain=np.array([0, 1]), has_order=True
    )
    is_program = np.isin(np.arange(people), programs)
    names = [f"A-{number}" for number in range(people)]
    return person_pairs_result(
        pairs, names=names, is_program=is_program, groups="videos", notes=["Files."]
    )


def test_the_two_who_agree_least_are_named_with_their_interval():
    headline = result(3, n_wrong=(0, 10, 4)).headline
    assert headline == (
        "Of the 3 pairs of annotators with 30 pairs in common or more, A-0 and A-1 agree least, on "
        "75.0 % of 40 pairs (95 % interval 59.8 to 85.8); all together agree on 83.3 %"
    )


def test_those_who_agree_as_little_are_counted():
    assert result(3, n_wrong=(0, 0, 4)).headline == (
        "Of the 3 pairs of annotators with 30 pairs in common or more, A-0 and A-2 agree least, on "
        "90.0 % of 40 pairs (95 % interval 76.9 to 96.0), and 1 other pair as often; all together "
        "agree on 93.3 %"
    )
    assert "agree on 100.0 % of 40 pairs (95 % interval 91.2 to 100.0), and 2 other pairs as" in (
        result(3).headline
    )


def test_two_annotators_have_a_sentence_and_no_heat_map():
    only = result(2, n_wrong=(0, 4))
    assert only.headline == (
        "A-0 and A-1 gave the same grade to 90.0 % of 40 pairs (95 % interval 76.9 to 96.0)"
    )
    assert only.spec is None
    assert only.extent == "2 annotators, 1 pair of them with labels in common"


def test_pairs_of_one_video_have_no_interval_and_it_is_said_what_intervals_draw():
    only = result(2, n_wrong=(0, 4), n_groups=1)
    assert only.headline == "A-0 and A-1 gave the same grade to 90.0 % of 40 pairs (no interval)"
    assert only.rows[0][5:7] == [None, None]
    assert "From, to: 95 % intervals by videos; none for fewer than two" in only.reading


@pytest.mark.parametrize("options", [{"n": 29}, {"is_planned": False}])
def test_fewer_pairs_than_30_and_labels_after_a_disagreement_make_no_claim(options):
    assert result(3, n_wrong=(0, 9), **options).headline == (
        "3 annotators labelled pairs in common, no two people 30 or more"
    )


def test_programs_make_no_claim():
    assert result(3, n_wrong=(0, 9), programs=[1, 2]).headline == (
        "3 annotators labelled pairs in common, no two of them people; any two agree on 77.5 to "
        "100.0 % of theirs"
    )
    assert result(3, programs=[0, 1, 2]).headline.endswith("; any two agree on 100.0 % of theirs")
    assert result(3, n=29, programs=[0, 1, 2]).headline.endswith("no two of them people")


def test_programs_with_few_pairs_in_common_are_in_no_share():
    whole = labels_of(3, n_wrong=(0, 9))
    # the last one labelled ten pairs alone
    stays = (whole.annotator < 2) | (whole.pair < 10)
    pairs = agreement_by_person(
        AnnotatorLabels(*(column[stays] for column in whole)),
        n_annotators=3,
        domain=np.array([0, 1]),
        has_order=True,
    )
    headline = person_pairs_result(
        pairs, names=["a", "b", "c"], is_program=np.full(3, True), groups="videos", notes=[]
    ).headline
    assert headline.endswith("; any two with 30 or more agree on 77.5 % of theirs")


def test_rows_have_what_is_defined_and_the_most_pairs_in_common_first():
    table = result(3, n_wrong=(0, 10, 4))
    keys = [column.key for column in table.columns]
    rows = [dict(zip(keys, row, strict=True)) for row in table.rows]
    assert [(row["first"], row["second"], row["n"], row["n_equal"]) for row in rows] == [
        ("A-0", "A-1", 40, 30),
        ("A-0", "A-2", 40, 36),
        ("A-1", "A-2", 40, 34),
    ]
    assert rows[0]["kappa"] == pytest.approx(0.5)
    unplanned = result(3, is_planned=False).rows[0]
    assert unplanned[2:] == [0, 0, None, None, None, None, None, 40, 100.0]


def test_the_heat_map_has_shares_above_the_diagonal_and_numbers_below_it():
    values = result(3, n_wrong=(0, 10, 4)).spec["data"]["values"]
    cells = {(value["row"], value["column"]): value["text"] for value in values}
    assert cells == {
        ("A: A-0", "B"): "75",
        ("A: A-0", "C"): "90",
        ("B: A-1", "C"): "85",
        ("B: A-1", "A"): "40",
        ("C: A-2", "A"): "40",
        ("C: A-2", "B"): "40",
    }


def test_the_rows_of_the_heat_map_are_by_name_with_numbers_by_their_size():
    rows = result(11).spec["encoding"]["y"]["scale"]["domain"]
    assert [rows[0], rows[2], rows[9], rows[10]] == ["A: A-0", "C: A-2", "J: A-9", "K: A-10"]
    columns = result(33, n=2).spec["encoding"]["x"]["scale"]["domain"]
    assert columns[25:] == ["Z", "AA", "AB", "AC", "AD"]


def test_of_many_annotators_the_chart_has_30_and_says_so():
    many = result(33, n=35)
    assert len({value["row"] for value in many.spec["data"]["values"]}) == 30
    assert len(many.rows) == 33 * 32 / 2
    assert many.notes[0] == "Files."
    assert many.notes[-1] == (
        "The chart has the 30 annotators with most pairs in common with others, of 33; the table "
        "has all."
    )
    page = many.chart(id="people", caption="One cell each.")
    assert len(page.rows) == 300 and page.subtitle.endswith(
        "first 300 of 528 rows; the CSV has all."
    )


def test_a_table_of_very_many_annotators_ends_and_says_so():
    many = result(102, n=2)
    assert len(many.rows) == 5_000
    assert many.notes[-1] == (
        "The table has the 5,000 pairs of annotators with most pairs in common, of 5,151."
    )
