"""Analyses of the planner: numbers of queries for an error or a difference."""

from metrics.score_files.analyses import ScoreAnalysis
from metrics.score_files.choices import Choice
from metrics.score_files.planner import sample_sizes

OF_SCORES = frozenset(
    {Choice.LABELS, Choice.THRESHOLD, Choice.QUERIES, Choice.RUNS, Choice.MEASURE, Choice.MISSING}
)

ANALYSES = [
    ScoreAnalysis(
        name="sampling-error",
        chapter="planner",
        question="How far from the score on all queries is the score on a sample of them?",
        paper="FIRE, section 4.3, Figures 4, 9 and 10",
        definition=(
            "The distance between the mean of a sample and the mean of all: the smallest that at "
            "least half, 75, 95 and 99 of 100 samples stay within. Where scores take two values it "
            "is exact (hypergeometric; of others like these binomial), else it is by 2,000 samples "
            "of a size. Of these "
            "queries: drawn one by one without replacement, as a pool draws them. Like these: "
            "whole groups of queries with replacement, which stands for other queries of the same "
            "kind (FIRE draws single ones with replacement). The headline is of the run whose "
            "scores spread in the middle of the chosen ones, and of the number of queries that was "
            "typed, if one was."
        ),
        choices=OF_SCORES | {Choice.N},
        find=sample_sizes.sampling_errors_of_file,
    ),
    ScoreAnalysis(
        name="error-distribution",
        chapter="planner",
        question="How often is the score on a sample so far from that on all queries?",
        paper="FIRE, section 4.3, Figures 9 and 10",
        definition=(
            "Of the run whose scores spread in the middle of the chosen ones: the mean of a sample "
            "less the mean of all, for samples of a tenth, a quarter and half of these queries, "
            "drawn without replacement: the standard deviation, and the smallest distance that at "
            "least 10, 25, 50, 75, 90, 95 and 99 of 100 samples stay within. Where scores take two "
            "values these are exact (hypergeometric), else by 10,000 samples of a size. A number "
            "of queries that was typed is one size more, with what judging it costs."
        ),
        choices=OF_SCORES | {Choice.N},
        find=sample_sizes.error_distribution_of_file,
    ),
    ScoreAnalysis(
        name="queries-for-error",
        chapter="planner",
        question="How many queries does a score with a small error take, and what do they cost?",
        paper="FIRE, section 4.3",
        definition=(
            "The smallest number of queries from which on at least 95 of 100 samples stay within "
            "the error: exact where scores take two values (hypergeometric; of others like these "
            "binomial) and up to 100,000 queries, else about that, by 2,000 samples; not told "
            "above ten million. Of the run whose scores spread in the middle of the chosen ones: "
            "of these queries, drawn one by one without replacement as a pool draws them, and of "
            "others like these, in whole groups. Pairs: the first 10 of each chosen run, each pair "
            "once, and a duplicate's as its original's. New pairs: of these, those that nobody has "
            "labelled, no open pool asks about and no lead has left out. Both are the mean over "
            "the queries that a chosen run ranks, times the number. Hours: of the new pairs, at "
            "the median time of a judgment here, with the labels and gold checks that the policy "
            "plans; labels that a disagreement asks for come on top. Pay: of these hours, as set "
            "in the settings. An error that was typed is one more, of which the headline is."
        ),
        choices=OF_SCORES | {Choice.ERROR},
        find=sample_sizes.for_error_of_file,
    ),
    ScoreAnalysis(
        name="queries-for-difference",
        chapter="planner",
        question="How many queries does it take to see a difference of two runs?",
        paper="FIRE, section 4.3; Carterette 2012",
        definition=(
            "The smallest number of queries on which a paired, two-sided t test at .05 sees a true "
            "difference in 80, or 90, of 100 cases, for the pair of chosen runs whose differences "
            "spread in the middle; whole groups of queries count. By simulation: the same with "
            "differences drawn from those at hand, where they are few enough for that. Pairs, "
            "hours and pay as for an error; of queries beyond those at hand all pairs are new. A "
            "difference and a power that were typed are added, and the headline is of them."
        ),
        choices=OF_SCORES | {Choice.DIFFERENCE, Choice.POWER},
        find=sample_sizes.for_difference_of_file,
    ),
]
