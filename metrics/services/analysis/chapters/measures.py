"""The chapter on the measures: how they order runs, and curves of ranks."""

from metrics.core.analyses.measures.both_directions import fold_means, system_means
from metrics.core.analyses.measures.rank_curves import (
    area_under_roc,
    confusion_counts,
    precision_by_recall,
)
from metrics.core.analyses.measures.run_orders import run_means, run_ranks
from metrics.core.measures.measure_correlations import measure_correlations
from metrics.score_files.choices import Choice
from metrics.score_files.register import SCORE_ANALYSES
from metrics.services.analysis.analyses import Analysis, Chapter, Oracle
from metrics.services.analysis.measures import (
    both_directions,
    folds,
    protocols,
    rank_curves,
    run_orders,
)

CHAPTER = Chapter(
    "measures",
    "The measures",
    "How measures and labels order the runs, and what a run has right at each depth.",
)
OF_RUNS = frozenset({Choice.LABELS, Choice.THRESHOLD, Choice.QUERIES, Choice.RUNS})
OF_MEASURES = OF_RUNS | {Choice.MEASURE}
MEASURES = ("C@1", "C@5", "C@10", "AP", "nDCG@10", "mAP@R", "RR")

ANALYSES = [
    Analysis.of_scores_too(
        SCORE_ANALYSES["measure-correlations"],
        chapter=CHAPTER,
        find=run_orders.correlations,
        function=measure_correlations,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/measures/test_measure_correlations.py",
        measures=MEASURES,
        n_measures=None,
    ),
    Analysis.of_scores_too(
        SCORE_ANALYSES["measure-against-measure"],
        chapter=CHAPTER,
        find=run_orders.scatter,
        function=run_means,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/measures/test_run_means.py",
        measures=("C@1", "mAP@R"),
        n_measures=2,
    ),
    Analysis.of_scores_too(
        SCORE_ANALYSES["rank-changes-by-measure"],
        chapter=CHAPTER,
        find=run_orders.changes_by_measure,
        function=run_ranks,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/measures/test_run_ranks.py",
        measures=("C@1", "C@10", "AP", "mAP@R"),
        n_measures=None,
    ),
    Analysis(
        name="rank-changes-by-labels",
        chapter=CHAPTER,
        question="How does the order of the runs change with the labels?",
        paper="ECCV Caption, Figure E.3",
        definition=(
            "As by measure, for one measure with each reference set alone, with people's labels "
            "alone, and with the chosen label source. Each is scored as on the leaderboard: what a "
            "source has no label of counts as irrelevant."
        ),
        find=run_orders.changes_by_labels,
        function=run_ranks,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/measures/test_run_ranks.py",
        choices=OF_MEASURES,
        measures=("C@1",),
    ),
    Analysis(
        name="precision-recall",
        chapter=CHAPTER,
        question="How does precision fall as recall grows?",
        paper="Evaluation measures of cross-modal retrieval, section 2.2",
        definition=(
            "The largest precision at any depth that reaches a recall of 0, .1, ..., 1, as a mean "
            "over queries: trec_eval's eleven points. A query without a positive, or that the run "
            "misses, counts 0; a recall that a run never reaches has a precision of 0."
        ),
        find=rank_curves.precision_recall,
        function=precision_by_recall,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/measures/test_precision_by_recall.py",
        choices=OF_RUNS,
        n_runs=rank_curves.MOST_CURVES,
    ),
    Analysis(
        name="roc",
        chapter=CHAPTER,
        question="How many negatives come with the positives?",
        paper="Evaluation measures of cross-modal retrieval, section 2.2",
        definition=(
            "At each depth k the share of a query's positives and of its negatives among the first "
            "k, as means over the queries that have such. Negatives are all other targets of the "
            "query set. The area is the mean chance that a positive stands above a negative, "
            "equal scores being in the order of ids. Runs that rank targets unknown to the "
            "collection are left out."
        ),
        find=rank_curves.roc,
        function=area_under_roc,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/measures/test_area_under_roc.py",
        choices=OF_RUNS,
        n_runs=rank_curves.MOST_CURVES,
    ),
    Analysis(
        name="confusion-counts",
        chapter=CHAPTER,
        question="What does a run have right and wrong at each depth?",
        paper="Evaluation measures of cross-modal retrieval, section 2",
        definition=(
            "Targets within the first k ranks are taken as retrieved, all others of the query set "
            "as not: true and false positives and negatives a query, and their shares. Precision "
            "is of k, also where a run has fewer ranks."
        ),
        find=rank_curves.confusion,
        function=confusion_counts,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/measures/test_confusion_counts.py",
        choices=OF_RUNS,
        n_runs=rank_curves.MOST_CURVES,
    ),
    Analysis(
        name="both-directions",
        chapter=CHAPTER,
        question="How good is each system in both directions?",
        paper="ECCV Caption, Tables 4, D.2 and D.3",
        definition=(
            "A system is a run in each direction with the same system and team. Each is averaged "
            "as on the leaderboard over the query set of the chosen name in its direction; their "
            "mean counts both directions alike. RSUM is 100 times the sum of C@1, C@5 and C@10 of "
            "both. A hidden run is a partner only of hidden runs of the same person."
        ),
        find=both_directions.both_directions,
        function=system_means,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/measures/test_both_directions.py",
        choices=OF_MEASURES,
        measures=("C@1", "C@5", "C@10", "mAP@R"),
        n_measures=None,
        of_both_directions=True,
    ),
    Analysis(
        name="folds",
        chapter=CHAPTER,
        question="How good is each system over the folds of the collection?",
        paper="ECCV Caption, Tables 4, D.2 and D.3: COCO 1K",
        definition=(
            "Folds are the query sets whose names differ from the chosen one's in the number at "
            "their end, in both directions and without a query in common; where it is none, the "
            "only folds that there are. A fold's targets are those that its query set lists, else "
            "the sources of the set of its name in the other direction; ranks and positives are "
            "counted among them alone. Values are means over the queries of a fold, and then over "
            "the folds; RSUM is of those means."
        ),
        find=folds.folds,
        function=fold_means,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/measures/test_both_directions.py",
        choices=OF_MEASURES,
        measures=("C@1", "C@5", "C@10"),
        n_measures=None,
        of_both_directions=True,
    ),
    Analysis(
        name="protocols",
        chapter=CHAPTER,
        question="How good is each system by the protocols of papers?",
        paper="ECCV Caption, Tables 4, D.2 and D.3; PCME, section 4.1",
        definition=(
            "A protocol fixes labels, queries and measures: COCO 5K and COCO 1K (over five folds) "
            "are C@1, C@5 and C@10 with COCO's own pairs, CxC is C@1 with CxC's, ECCV Caption is "
            "mAP@R, R-precision and C@1 with ECCV's on its own queries. Plausible matches are "
            "those of nearly the same classes: PMRP (R-precision of equal classes, with R at most "
            "50) and PMRP_mean (its mean over zeta 0, 1 and 2, without a cap). Each is of a "
            "reference set alone, taken by its name, from the grade up from which the collection "
            "calls a pair positive; of plausible matches from 3, that of equal classes. Systems, "
            "means and RSUM are those of both directions and of folds."
        ),
        find=protocols.by_protocols,
        function=system_means,
        oracle=Oracle.PUBLISHED,
        test="tests/metrics/core/analyses/measures/test_protocol_tables.py",
        choices=frozenset({Choice.RUNS}),
        of_both_directions=True,
    ),
]
