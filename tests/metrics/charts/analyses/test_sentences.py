"""Headlines of analyses: each case of the numbers has its sentence, which claims no more."""

import numpy as np
import pytest

from metrics.charts.analyses.collection.hits import LENGTH, SIMILARITY, hits_result
from metrics.charts.analyses.collection.lengths import TextExample, examples_result, length_result
from metrics.charts.analyses.collection.positives import positives_result
from metrics.charts.analyses.collection.text_similarity import similarity_result
from metrics.charts.analyses.nouns import Nouns
from metrics.core.analyses.collection.hits import RunHits, hits_by_length, hits_by_similarity
from metrics.core.analyses.collection.lengths import LengthPositives, positives_by_length
from metrics.core.analyses.collection.positives import SourcePositives, positives_per_query
from metrics.core.analyses.collection.text_lengths import LengthCorrelations
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, Interval
from metrics.core.statistics.rank_correlations import RankCorrelation

NOUNS = Nouns("captions", "40 captions of 8 videos", ["Rough."])


def positives_headline(*numbers):
    sources = [SourcePositives(f"set {n}", np.array(row)) for n, row in enumerate(numbers, 1)]
    groups = Groups.single(len(numbers[0]))
    return positives_result(positives_per_query(sources, groups=groups), NOUNS).headline


def test_medians_are_told_of_every_label_source():
    assert positives_headline([1, 1, 4]) == "The median of the captions has 1 positive by set 1"
    assert positives_headline([2, 3], [0, 1]) == (
        "The median of the captions has 2.5 positives by set 1; 0.5 by set 2"
    )


def length_headline(n_words, n_positive):
    n_words, n_positive = np.array(n_words), np.array(n_positive)
    inputs = LengthPositives(n_words, n_positive, Groups.single(len(n_words)))
    return length_result(positives_by_length(inputs), NOUNS).headline


WORDS = np.repeat([3, 6, 12], 10)
MANY, FEW = np.tile([6, 8], 5), np.tile([1, 3], 5)


def test_the_end_with_more_positives_is_named_first():
    middle = np.full(10, 4)
    short = length_headline(WORDS, np.concatenate([MANY, middle, FEW]))
    assert short.startswith(
        "Captions of 3 words have 3.50 times the positives of those of 12 words (95 %"
    )
    assert short.endswith(")")
    long = length_headline(WORDS, np.concatenate([FEW, middle, MANY]))
    assert long.startswith(
        "Captions of 12 words have 3.50 times the positives of those of 3 words (95 %"
    )


def test_a_ratio_that_may_be_1_shows_no_difference():
    near = np.array([1, 4] * 5)
    headline = length_headline(WORDS, np.concatenate([near, near, FEW]))
    assert headline.endswith("): no difference is shown")


def test_equal_numbers_have_a_ratio_without_an_interval():
    assert length_headline(WORDS, np.ones(30, dtype=int)) == (
        "Captions of 3 words have 1.00 positives on average, those of 12 words 1.00 "
        "(no interval of their ratio)"
    )


def test_an_end_without_positives_has_means_in_place_of_a_ratio():
    zeros = np.zeros(10, dtype=int)
    assert length_headline(WORDS, np.concatenate([MANY, zeros, zeros])) == (
        "Captions of 3 words have 7.00 positives on average, those of 12 words 0.00 "
        "(no interval of their ratio)"
    )


def test_one_length_cannot_be_compared():
    words = [1, *[12] * 40, 20]
    assert length_headline(words, range(42)) == (
        "Too few different lengths to compare short and long texts: the median has 12 words"
    )
    assert length_headline([1] * 40, range(40)).endswith(": the median has 1 word")


def test_examples_are_told_by_the_first_and_the_last_cut_where_long():
    examples = [TextExample("shortest", "man", 1, 9), TextExample("longest", "long " * 30, 30, 1)]
    headline = examples_result(examples, NOUNS).headline
    assert headline == f"From “man” (1 word) to “{'long ' * 11}long…” (30 words)"


FIRST = np.tile([True, True, False, False, True], 20)
SECOND = np.tile([True, False, True, False, False], 20)
HITS = [RunHits("people only", FIRST, SECOND)]
WHOLE = "By people only, a alone is right on 40.0 % of 100 captions and b alone on 20.0 % (C@5)"


def hits_headline(result, axis, runs=("a", "b")):
    return hits_result(result, axis, NOUNS, runs=runs, measure="C@5").headline


def test_of_two_runs_the_one_that_gains_as_texts_grow_is_named():
    groups = Groups.single(100)
    # a alone is right on the short texts, b alone on the long ones
    n_characters = np.where(SECOND & ~FIRST, 60, np.where(FIRST & ~SECOND, 5, 20)) + np.arange(100)
    headline = hits_headline(hits_by_length(n_characters, HITS, groups=groups), LENGTH)
    numbers = "(Spearman -0.49, 95 % interval -0.63 to -0.32)"
    assert headline == f"{WHOLE}; the longer the text, the more b gains on a {numbers}"
    similarity = np.where(FIRST & ~SECOND, 0.9, 0.2)
    headline = hits_headline(hits_by_similarity(similarity, HITS, groups=groups), SIMILARITY)
    middle = "the more the text resembles training texts, the more a gains on b (Spearman 0.9"
    assert headline.startswith(f"{WHOLE}; {middle}")


def test_no_gain_is_claimed_where_it_may_be_0_or_of_few_queries():
    lengths = np.arange(100)
    of_many = hits_by_length(lengths + 1, HITS, groups=Groups.single(100))
    assert hits_headline(of_many, LENGTH).startswith(
        f"{WHOLE}; it is not shown that this goes with the text's length (Spearman 0.01, "
    )
    few = [RunHits("people only", FIRST[:20], SECOND[:20])]
    of_few = hits_by_length(lengths[:20] + 1, few, groups=Groups.single(20))
    assert ";" not in hits_headline(of_few, LENGTH)
    one_length = hits_by_length(np.full(100, 7), HITS, groups=Groups.single(100))
    assert hits_headline(one_length, LENGTH) == WHOLE


@pytest.mark.parametrize(
    ("value", "interval", "headline"),
    [
        (-0.4, Interval(-0.5, -0.3), "Longer captions are less like the training texts (Spearman"),
        (0.4, Interval(0.3, 0.5), "Longer captions are more like the training texts (Spearman 0"),
        (0.1, Interval(-0.1, 0.3), "It is not shown that length and likeness to training texts"),
        (0.1, NO_INTERVAL, "It is not shown that length and likeness to training texts go tog"),
        (None, NO_INTERVAL, "All of these captions have the same length, or the same"),
    ],
)
def test_a_correlation_is_claimed_only_where_its_interval_leaves_out_0(value, interval, headline):
    correlation = RankCorrelation(value, interval, 40)
    rows = [LengthCorrelations(unit, correlation, correlation) for unit in ("words", "characters")]
    result = similarity_result(rows, NOUNS)
    assert result.headline.startswith(headline)
    assert [row[0] for row in result.rows] == ["words", "characters"]


def test_a_correlation_of_nothing_has_no_sign():
    result = hits_by_length(np.arange(1, 101), HITS, groups=Groups.single(100))
    level = RankCorrelation(-0.001, Interval(-0.2, -0.004), 100)
    headline = hits_headline(result._replace(gains=[level]), LENGTH)
    assert headline.endswith("(Spearman 0.00, 95 % interval -0.20 to 0.00)")


def test_ratio_and_correlation_are_told_apart():
    numbers = LengthPositives(WORDS, np.concatenate([MANY, MANY, FEW]), Groups.single(30))
    assert "The ratio is of the two ends alone" in (
        length_result(positives_by_length(numbers), NOUNS).reading
    )
    level = LengthPositives(WORDS, np.full(30, 2), Groups.single(30))
    assert "The ratio" not in length_result(positives_by_length(level), NOUNS).reading
