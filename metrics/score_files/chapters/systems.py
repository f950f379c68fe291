"""Analyses of the systems: differences of runs, and how sure they are."""

from metrics.score_files.analyses import ScoreAnalysis
from metrics.score_files.choices import Choice
from metrics.score_files.systems import (
    deciding_topics,
    differences,
    error_rates,
    normality,
    pairs,
    swap_rates,
    topic_difficulty,
    topics_needed,
    variance,
)

OF_SCORES = frozenset(
    {Choice.LABELS, Choice.THRESHOLD, Choice.QUERIES, Choice.RUNS, Choice.MEASURE, Choice.MISSING}
)
OF_TESTS = OF_SCORES | {Choice.METHOD, Choice.MARK}

ANALYSES = [
    ScoreAnalysis(
        name="anova",
        chapter="systems",
        question="How much of the variance of scores comes from topics, and how much from runs?",
        paper="TRECVID (Hauptmann and Lin), section 4.1, Equation 2",
        definition=(
            "Two-way analysis of variance without interaction: a score of each run on each query. "
            "Shares are of the total sum of squares. Where queries come in groups, a group's share "
            "in the mean over all queries stands for it. Queries that a run misses count 0, or "
            "such runs or queries are left out, as chosen."
        ),
        choices=OF_SCORES,
        find=variance.variance_of_file,
    ),
    ScoreAnalysis(
        name="topic-difficulty",
        chapter="systems",
        question="Which queries are hard, and which tell the runs apart?",
        paper="TRECVID, section 4 (topics as a cause of variance)",
        definition=(
            "Mean and standard deviation of the runs' scores on each query, the hardest first; "
            "means that are equal to 12 digits keep the order of the queries. The share of a query "
            "is its part of the absolute differences of all pairs of runs on all queries, with "
            "the weights of a sample. Excluded items are left out."
        ),
        choices=OF_SCORES,
        find=topic_difficulty.difficulty_of_file,
    ),
    ScoreAnalysis(
        name="deciding-topics",
        chapter="systems",
        question="Which queries decide which run is ahead?",
        paper="Jackknife (Quenouille 1956)",
        definition=(
            "Of the two runs with the best means the difference on each query, and the mean "
            "difference without it. The queries that add most to the lead are left out one after "
            "the other until the other run is ahead; no smaller set does that. Pairs of all runs "
            "change order where the sign of their mean difference is the opposite one without the "
            "query. Means that are equal to 12 digits have no order. The interval is Student's, "
            "by groups."
        ),
        choices=OF_SCORES,
        find=deciding_topics.deciding_of_file,
    ),
    ScoreAnalysis(
        name="normality",
        chapter="systems",
        question="Are the scores of runs normal, as analysis of variance takes them?",
        paper="TRECVID (Hauptmann and Lin), footnote 1",
        definition=(
            "Anderson and Darling's test of the scores of each run, mean and spread unknown, and "
            "of the residuals that the means of runs and queries leave; the p of all runs are "
            "adjusted by Benjamini and Hochberg at a false discovery rate of 5 %. Where queries "
            "come in groups, of their shares in the mean. Runs whose scores are all equal are not "
            "tested."
        ),
        choices=OF_SCORES,
        find=normality.normality_of_file,
    ),
    ScoreAnalysis(
        name="error-rates",
        chapter="systems",
        question="How large must a difference of two runs be to be trusted?",
        paper="TRECVID, Equation 1 and Figure 1",
        definition=(
            "REER, the retrieval experiment error rate, of each pair of runs from the variance of "
            "its paired differences, beside the equation as printed, which takes the runs for "
            "independent, and the chance that a new set reverses the observed order. Means over "
            "the pairs whose mean difference falls into a bin of .01 (wider where there would be "
            "more than 50, narrower where there would be fewer than ten), for sets of several "
            "sizes. The paper has rates from half of 25 topics; here the variance is that of all "
            "topics, and groups are drawn as a whole."
        ),
        choices=OF_SCORES,
        find=error_rates.rates_of_file,
    ),
    ScoreAnalysis(
        name="differences",
        chapter="systems",
        question="Which runs differ from which, from the best to the worst?",
        paper="TRECVID (Hauptmann and Lin), Figures 2 to 7",
        definition=(
            "The means of the runs over the queries, and which of them differ by the chosen test "
            "at .05, with the verdicts, letters and pseudo-groups of the leaderboard. Two runs "
            "share a letter exactly where they do not differ; a pseudo-group is a run and those "
            "after it down to the first that differs from it. Intervals are by groups of queries: "
            "Wilson's of shares, Student's of other means. So a measure from 0 to 1, such as AP, "
            "has Wilson's in a collection and Student's from a file of scores, which does not say "
            "what its scores are."
        ),
        choices=OF_TESTS,
        find=differences.differences_of_file,
    ),
    ScoreAnalysis(
        name="pairwise-differences",
        chapter="systems",
        question="How far apart is each pair of runs, and do the two differ?",
        paper="TRECVID (Hauptmann and Lin), section 4.2 and Figure 2",
        definition=(
            "For each pair of runs the mean of the paired differences over the queries, its 95 % "
            "interval by groups of queries (Student's, of this pair alone), and the verdict of the "
            "chosen test on all pairs together at .05, as in the order of the runs."
        ),
        choices=OF_TESTS,
        find=pairs.pairs_of_file,
    ),
    ScoreAnalysis(
        name="topics-needed",
        chapter="systems",
        question="How many queries make the order and the scores of the runs stable?",
        paper="Urbano, Marrero & Martin 2013 (gt4ireval)",
        definition=(
            "The variance of a score is split into that of runs, of queries, and of both together "
            "with error; an estimate below 0 is taken for 0. E rho squared, the generalizability "
            "coefficient, is the variance of runs over it and the last part by number of queries; "
            "Phi, the index of dependability, is that over all of them. Intervals at 95 % are "
            "Feldt's and those of Arteaga, Jeyaratnam and Franklin. Of groups of queries "
            "their shares in the means are the scores, and groups are counted."
        ),
        choices=OF_SCORES,
        find=topics_needed.needed_of_file,
    ),
    ScoreAnalysis(
        name="swap-rates",
        chapter="systems",
        question="How often would other queries reverse the order of two runs?",
        paper="Voorhees & Buckley 2002",
        definition=(
            "Two random sets of queries without one in common, of an eighth, a quarter and half of "
            "those at hand, order each pair of runs; an exact tie in one of them is half a swap. "
            "By bins of the difference on the first set, beside the mean reversal that this set "
            "predicts. The band is 1.96 standard errors to each side, by resampling queries: what "
            "two halves of the draws of a resample have in common, and the doubt about it, so that "
            "it is rather too wide than too narrow. Groups are drawn as a whole, with their shares "
            "in the means as scores."
        ),
        choices=OF_SCORES,
        find=swap_rates.measured_of_file,
    ),
]
