"""Sentences on systems and pools whose numbers are equal, go the other way, or say nothing."""

import numpy as np
import pytest

from metrics.charts.analyses.nouns import Nouns
from metrics.charts.analyses.pool.own_labels import PooledRun, own_labels_result
from metrics.charts.analyses.pool.people import people_result
from metrics.charts.analyses.pool.run_likeness import likeness_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.pool.own_labels import RunLoss, ScoreWithout
from metrics.core.analyses.pool.people import PersonQuality
from metrics.core.analyses.pool.run_likeness import RunPairLikeness
from metrics.core.analyses.systems.swap_rates import swap_rates
from metrics.core.files.scores import ScoreTable
from metrics.core.statistics.intervals import NO_INTERVAL, Interval
from metrics.score_files.register import SCORE_ANALYSES
from metrics.score_files.requests import FileRequest

NOUNS = Nouns("queries", "40 queries", [])


def result_of(name: str, values: np.ndarray) -> AnalysisResult:
    topics, runs = [f"t{n}" for n in range(len(values))], [f"r{n}" for n in range(values.shape[1])]
    find = SCORE_ANALYSES[name].find
    return find(FileRequest(ScoreTable(topics, runs, values), "tukey", "zero"))


def headline_of(name: str, values: np.ndarray) -> str:
    return result_of(name, values).headline


def test_runs_with_the_best_mean_lead_together():
    values = np.random.default_rng(1).random((40, 1)) / 2 + np.array([[0.4, 0.4, 0.0]])
    assert headline_of("differences", values).startswith("2 of 3 runs share the best mean, 0.")


def test_scores_without_error_have_no_interval_of_their_topics():
    topics = np.linspace(0, 0.4, 40)[:, None]
    sentence = headline_of("topics-needed", topics + np.array([[0.1, 0.3]]))
    assert sentence.startswith(
        "With 40 topics E rho squared is 1.00 (no interval); a value of 0.9 takes 1, and for Phi "
        "it takes "
    )
    assert headline_of("topics-needed", np.random.default_rng(2).random((20, 3))) == (
        "20 topics are too few to know how scores vary"
    )


def test_shares_of_squares_and_components_of_variance_name_one_another():
    values = np.random.default_rng(3).random((40, 3))
    anova, components = (result_of(name, values) for name in ("anova", "topics-needed"))
    assert " The analysis “topics-needed” splits the same scores into components" in anova.reading
    assert " in the analysis “anova”, so that the two differ." in components.reading


def pair(
    first: int, second: int, overlap: float, *, n: int = 40, n_groups: int = 0
) -> RunPairLikeness:
    interval = Interval(overlap - 0.05, overlap + 0.05)
    return RunPairLikeness(
        first, second, n, n_groups or n, overlap, interval, overlap, 0.5, None, 0, 1.0, 1.0
    )


@pytest.mark.parametrize(
    ("overlaps", "ending"),
    [
        ((0.9, 0.5, 0.1), "more than any other two of these runs; B and C share the least, 10.0 %"),
        (
            (0.9, 0.9, 0.1),
            "as 1 other pair of runs, and more than all others; B and C share the least, 10.0 %",
        ),
        ((0.5, 0.5, 0.5), "as any two of these runs do"),
    ],
)
def test_the_most_alike_are_told_with_those_that_are_as_much_so(overlaps, ending):
    pairs = [
        pair(*ends, share) for ends, share in zip([(0, 1), (0, 2), (1, 2)], overlaps, strict=True)
    ]
    result = likeness_result(pairs, names=["A", "B", "C"], k=10, p=0.9, depth=50, nouns=NOUNS)
    assert result.headline.endswith(ending)


def test_the_least_alike_are_not_told_of_a_handful_of_queries():
    pairs = [pair(0, 1, 0.9), pair(0, 2, 0.5), pair(1, 2, 0.1, n=3)]
    result = likeness_result(pairs, names=["A", "B", "C"], k=10, p=0.9, depth=50, nouns=NOUNS)
    assert result.headline.endswith("more than any other two of these runs")


def test_two_runs_are_not_called_alike_by_the_captions_of_a_few_videos():
    pairs = [pair(0, 1, 0.9, n_groups=3)]
    result = likeness_result(pairs, names=["A", "B"], k=10, p=0.9, depth=50, nouns=NOUNS)
    assert "over only 40 queries" in result.headline
    pairs = [pair(0, 1, 0.9, n=1, n_groups=1)]
    result = likeness_result(pairs, names=["A", "B"], k=10, p=0.9, depth=50, nouns=NOUNS)
    assert result.headline.endswith("over only 1 query")
    assert "95 %" not in result.headline


def pooled_run(name: str, n: int, loss: float) -> PooledRun:
    part = ScoreWithout(n, 2, 0.5 - loss, loss, Interval(loss - 0.01, loss + 0.01), 1)
    return PooledRun(name, "", True, [RunLoss(0, "AP", 60, 0.5, 1, part, part)])


@pytest.mark.parametrize("losses", [(0.03,), (0.03, 0.02), (0.03, 0.03)])
def test_a_loss_by_few_labels_is_told_with_its_interval_and_called_nothing(losses):
    runs = [pooled_run(name, 5, loss) for name, loss in zip("AB", losses, strict=False)]
    result = own_labels_result(runs, n_labels=60, depths=[10], nouns=NOUNS)
    assert result.headline == (
        "A loses 0.030 of AP (95 % interval 0.020 to 0.040) without the 5 labels that only it "
        "brought: too few to tell by"
    )


def test_the_closest_runs_that_differ_are_counted():
    topics = np.random.default_rng(5).random((40, 1)) / 2
    noise = np.random.default_rng(6).random((40, 3)) / 50
    noise -= noise.mean(axis=0)
    headline = headline_of("pairwise-differences", topics + noise + np.array([[0.1, 0.2, 0.3]]))
    assert "apart (2 pairs, such as r2 and r1, 95 % interval " in headline
    headline = headline_of("pairwise-differences", topics + noise + np.array([[0.1, 0.2, 0.4]]))
    assert "apart (r1 and r0, 95 % interval " in headline


@pytest.mark.parametrize("n", [5, 40])
@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (-0.02, "A alone brought no label that makes its AP better"),
        (0.0, "A alone brought no label that makes its AP better"),
        (0.03, "AP"),
    ],
)
def test_a_gain_without_own_labels_is_not_called_a_loss(n, loss, words):
    run = pooled_run("A", n, loss)
    headline = own_labels_result([run], n_labels=60, depths=[10], nouns=NOUNS).headline
    assert words in headline and "worse by -" not in headline
    if loss > 0:
        assert ("worse by 0.030" in headline) == (n == 40)


def test_runs_that_gain_without_own_labels_are_those_chosen():
    runs = [pooled_run("A", 5, -0.02), pooled_run("B", 5, 0.0)]
    assert own_labels_result(runs, n_labels=60, depths=[10], nouns=NOUNS).headline == (
        "None of these 2 pooled runs alone brought a label that makes its AP better"
    )


def test_scores_of_a_large_range_have_no_more_bins_than_a_chart_could_need():
    ranks = np.random.default_rng(3).integers(1, 25_000, (40, 2)).astype(float)
    ranks[:, 1] += ranks[:, 0].mean() - ranks[:, 1].mean() + 0.2
    assert len(swap_rates(ranks, size=10, n_trials=20).curve.pairs) <= 1_002


def test_the_printed_error_rate_is_called_no_bound():
    values = np.random.default_rng(4).random((40, 3))
    reading = result_of("error-rates", values).reading
    assert "bound" not in reading
    assert "larger where the topics that are hard for one run are hard for the other too" in reading
    # a rate of .05 or less is not a difference by a test
    assert "runs that are further apart than this may still not differ by the test of" in reading


@pytest.mark.parametrize(
    ("n_positive", "headline"),
    [
        (0, "None of 2 annotators called a pair relevant that others labelled"),
        (
            1,
            "Of 60 labels on pairs that several annotators labelled, only 1 calls a pair relevant",
        ),
        (
            12,
            "Of 60 labels on pairs that several annotators labelled, only 12 call a pair relevant",
        ),
        (
            40,
            "Judged by one another's labels, annotators reach a precision and recall of 50.0 % (95 "
            "% interval 45.0 to 55.0) over 40 labels that call a pair relevant",
        ),
    ],
)
def test_people_are_judged_by_one_another_where_they_call_enough_relevant(n_positive, headline):
    share, interval = (0.5, Interval(0.45, 0.55)) if n_positive else (None, NO_INTERVAL)
    whole = PersonQuality(None, 60, n_positive, 5.0, share, interval, share, interval, share)
    people = [whole, whole._replace(annotator=0), whole._replace(annotator=1)]
    result = people_result(people, names=["A-1", "A-2"], threshold=1, notes=[])
    assert result.headline == headline
