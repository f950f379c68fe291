"""Results of analyses: JSON and back, printed cells, intervals in words."""

from metrics.charts.results import (
    AnalysisResult,
    Column,
    bound_text,
    figure_of,
    interval_text,
    number_text,
    texts_apart,
)
from metrics.core.statistics.intervals import NO_INTERVAL, Interval

RESULT = AnalysisResult(
    headline="Few are many",
    reading="Bars.",
    extent="3 queries",
    columns=[Column("name", "Name"), Column("n", "Number"), Column("mean", "Mean", 2)],
    rows=[["a", 1_200, 2 / 3], ["b", 0, None]],
    spec={"mark": "bar"},
    notes=["Rough."],
    next_notes=["There."],
)


def test_a_result_is_the_same_after_json():
    assert AnalysisResult.from_json(RESULT.as_json()) == RESULT
    assert "n_left_out" not in RESULT.as_json()


def test_a_result_that_was_read_in_part_tells_the_number_of_all_rows():
    rows = [["a", number, None] for number in range(300)]
    part = RESULT._replace(rows=rows, n_left_out=12_045)
    assert (RESULT.n_rows, part.n_rows) == (2, 12_345)
    sentence = " The first {} of 12,345 rows; the CSV has all."
    chart, table = (result.chart(id="a", caption="") for result in (part, part._replace(spec=None)))
    assert (chart.subtitle, len(chart.rows)) == (sentence.format(300), 300)
    assert (table.subtitle, len(table.rows)) == (sentence.format(100), 100)


def test_cells_are_printed_with_their_digits_and_keep_all_of_them():
    printed = [[(str(cell), cell.exact) for cell in row] for row in RESULT.printed_rows()]
    assert printed == [
        [("a", ""), ("1,200", "1200"), ("0.67", repr(2 / 3))],
        [("b", ""), ("0", "0"), ("", "")],
    ]
    assert str(figure_of(-0.0004, Column("mean", "Mean", 2))) == "0.00"


def test_a_bound_is_printed_no_smaller_than_it_is():
    bound = Column("within", "Within", 3, is_bound=True)
    printed = [str(figure_of(value, bound)) for value in (1 / 30, 0.0334, 0.065, 0.1 + 0.2, 0, 2)]
    assert printed == ["0.034", "0.034", "0.065", "0.300", "0.000", "2.000"]
    assert figure_of(1 / 30, bound).exact == repr(1 / 30)
    texts = [bound_text(value, 3) for value in (1 / 30, 0.065, 0, 1 / 3000, 1 / 3e15, 7.1)]
    assert texts == ["0.034", "0.065", "0.000", "0.000334", "3.34e-16", "7.100"]


def test_an_interval_is_told_or_that_there_is_none():
    assert interval_text(Interval(2.804, 3.5), digits=2) == "95 % interval 2.80 to 3.50"
    assert interval_text(NO_INTERVAL, digits=2) == "no interval"


def test_a_number_without_a_digit_in_its_place_is_told_by_those_that_count():
    assert number_text(0.12345, 4) == "0.1235"
    assert number_text(0, 4) == number_text(-0.0, 4) == "0.0000"
    assert number_text(5.8612e-15, 4) == "5.86e-15"
    assert number_text(-0.00002, 4) == "-2e-05"


def test_a_number_with_more_digits_than_are_known_is_told_by_those_that_count():
    assert number_text(1.07875e98, 4) == "1.08e+98"
    assert number_text(-58614.892, 4) == "-58614.8920"
    assert interval_text(Interval(-1e98, 2e98), digits=4) == "95 % interval -1e+98 to 2e+98"


def test_two_numbers_have_the_digits_that_tell_them_apart():
    assert texts_apart(0.12345, 0.9) == ("0.1235", "0.9")
    assert texts_apart(1e9 + 0.25, 1e9 + 0.36) == ("1000000000.2", "1000000000.4")
    assert texts_apart(0.5, 0.5) == ("0.5", "0.5")


def test_an_interval_has_digits_that_count_where_both_ends_would_be_0():
    tiny = Interval(-1.04e-16, 6.75e-16)
    assert interval_text(tiny, digits=4) == "95 % interval -1.04e-16 to 6.75e-16"
    assert interval_text(Interval(0.0, 0.00002), digits=4) == "95 % interval 0.0000 to 2e-05"
    assert interval_text(Interval(0.00002, 0.5), digits=4) == "95 % interval 0.0000 to 0.5000"
    assert interval_text(Interval(0.0, 0.0), digits=4) == "95 % interval 0.0000 to 0.0000"
