"""Headlines and notes on the grades at each rank: each case of the numbers has its sentence."""

import numpy as np

from metrics.charts.analyses.labels.rank_labels import rank_labels_result
from metrics.charts.analyses.nouns import Nouns
from metrics.core.analyses.labels.rank_labels import RankedLabels, labels_by_rank
from metrics.core.statistics.groups import Groups

NOUNS = Nouns("captions", "40 captions", ["Rough."])


def result(*runs, names="abcdefgh"):
    """runs : of each the grades at its ranks, (Q, ranks); -1 without a grade."""
    ranked_labels = []
    for name, grades in zip(names, runs, strict=False):
        query, column = np.nonzero(grades >= 0)
        depth, none = np.full(len(grades), grades.shape[1]), np.zeros(0, dtype=int)
        ranked_labels.append(
            RankedLabels(name, query, column + 1, grades[query, column], none, none, depth)
        )
    groups = Groups.single(len(runs[0]))
    table = labels_by_rank(ranked_labels, [1, 0], threshold=1, groups=groups)
    return rank_labels_result(table, ["Yes", "No"], NOUNS, colours=["violet", "amber"])


def of_positives(*n_positive, n=40):
    """The grades of n queries, of which so many have a positive at rank 1, 2, ...."""
    return np.array([[int(q < positive) for positive in n_positive] for q in range(n)])


def test_one_run_has_its_shares_at_the_first_and_the_last_rank_with_intervals():
    assert result(of_positives(30, 20, 10)).headline == (
        "At rank 1, 75.0 % of the 40 graded pairs of a are positive (95 % interval 59.8 to 85.8); "
        "at rank 3, 25.0 % of the 40 graded pairs of a are positive (95 % interval 14.2 to 40.2)"
    )


def test_of_several_runs_the_smallest_and_the_largest_share_are_told():
    runs = (of_positives(30, 20), of_positives(36, 10), of_positives(32, 14))
    assert result(*runs).headline == (
        "At rank 1, 75.0 % (a) to 90.0 % (b) of the graded pairs are positive, of 40 or more of "
        "each run; at rank 2, 25.0 % (b) to 50.0 % (a) of the graded pairs are positive, of 40 or "
        "more of each run"
    )


def test_one_rank_is_told_once():
    headline = result(of_positives(30)).headline
    assert headline.startswith("At rank 1, 75.0 %") and "; " not in headline


def test_of_few_pairs_no_share_is_claimed():
    assert result(of_positives(20, 10, n=29)).headline == (
        "58 of the 58 pairs at ranks 1 to 2 of the runs have a grade"
    )
    few_below = of_positives(30, 20)
    few_below[20:, 1] = -1
    assert result(few_below).headline == (
        "60 of the 80 pairs at ranks 1 to 2 of the runs have a grade"
    )


def test_notes_say_what_is_left_out_and_what_counts_twice():
    assert result(of_positives(30)).notes == ["Rough."]
    deeper = np.full((40, 4), -1)
    deeper[:, :1], deeper[:3, 3] = of_positives(30), 1
    assert result(deeper, deeper).notes == [
        "Rough.",
        "All runs: a pair counts once for each run that returns it there.",
        "Ranks deeper than 1 are left out, with 6 graded pairs (once for each run): the last rank "
        "shown is the deepest of the first 20 at which pairs have a grade at least half as often "
        "as at the rank where most have one.",
    ]


def test_seven_runs_have_six_charts_and_all_rows():
    whole = result(*[of_positives(30, 20)] * 7)
    assert len(whole.spec["vconcat"]) == 6
    assert len(whole.rows) == 7 * 3 + 1
    assert whole.notes[-1] == "The chart has the first 6 of 7 runs; the table all."


def test_a_level_has_its_own_colour_also_where_no_pair_has_the_other_one():
    for grades in (of_positives(40), of_positives(0), of_positives(20)):
        bars = result(grades).spec["vconcat"][0]["layer"][0]["encoding"]
        scale = {"domain": ["Yes", "No"], "range": ["@violet", "@amber"]}
        assert (bars["color"]["field"], bars["color"]["scale"]) == ("level", scale)
