"""Analyses of the measures: how they order runs."""

from metrics.score_files.analyses import ScoreAnalysis
from metrics.score_files.choices import Choice
from metrics.score_files.measures import run_orders

OF_RUNS = frozenset({Choice.LABELS, Choice.THRESHOLD, Choice.QUERIES, Choice.RUNS})
OF_MEASURES = OF_RUNS | {Choice.MEASURE}

ANALYSES = [
    ScoreAnalysis(
        name="measure-correlations",
        chapter="measures",
        question="Which measures order the runs alike?",
        paper="ECCV Caption, Table 5",
        definition=(
            "The averages of the leaderboard order the runs that have both, equal to 12 digits "
            "being equal; measures of ranks, where less is "
            "better, are turned round. Kendall's tau-b leaves pairs of runs that are equal by one "
            "of the measures out of its denominator; tau counts them 0. tau-AP weighs the top of "
            "the order more and is undefined with ties; its mean of both ways is given."
        ),
        choices=OF_MEASURES,
        find=run_orders.correlations_of_file,
    ),
    ScoreAnalysis(
        name="measure-against-measure",
        chapter="measures",
        question="Which runs does one measure favour over another one?",
        paper="ECCV Caption, Figure 4",
        definition=(
            "Each run's averages by two measures, as the leaderboard has them, with its 95 % "
            "intervals by groups of queries: Wilson's of shares, Student's of mean ranks, none of "
            "a median. Pairs of runs are counted that the two measures order alike, or the other "
            "way round, or that are equal by one of them; averages equal to 12 digits are equal."
        ),
        choices=OF_MEASURES,
        find=run_orders.scatter_of_file,
    ),
    ScoreAnalysis(
        name="rank-changes-by-measure",
        chapter="measures",
        question="How does the order of the runs change with the measure?",
        paper="ECCV Caption, Figure 5",
        definition=(
            "The rank of a run is 1 and the number of runs whose average is better; runs that are "
            "equal to 12 digits share it. Places are counted between its best and its worst rank. "
            "Runs without an average by one of the measures have no ranks, and a measure by which "
            "all runs are equal gives none."
        ),
        choices=OF_MEASURES,
        find=run_orders.changes_of_file,
    ),
]
