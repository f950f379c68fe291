"""The chapter on the pool: what it favours, and how alike its runs are."""

from annotate.models import Role
from metrics.core.analyses.pool.bias_by_size import bias_by_size
from metrics.core.analyses.pool.conclusions import conclusions
from metrics.core.analyses.pool.edges import pool_edges
from metrics.core.analyses.pool.own_labels import without_own_labels
from metrics.core.analyses.pool.people import people_as_systems
from metrics.core.analyses.pool.pools_of_one import pools_of_one
from metrics.core.analyses.pool.run_likeness import run_likeness
from metrics.score_files.choices import Choice
from metrics.services.analysis.analyses import Analysis, Chapter, NextPage, Oracle
from metrics.services.analysis.item_columns import SOURCE, ItemColumn
from metrics.services.analysis.pool import bias_by_size as by_size
from metrics.services.analysis.pool import conclusions as under_other_labels
from metrics.services.analysis.pool import edges, own_labels, people
from metrics.services.analysis.pool import pools_of_one as single_pools
from metrics.services.analysis.pool import run_likeness as likeness

CHAPTER = Chapter(
    "pool",
    "The pool",
    "Whether the pool is fair to new runs, how alike its runs are, and what to judge next.",
)
OF_SCORES = frozenset(
    {Choice.LABELS, Choice.THRESHOLD, Choice.QUERIES, Choice.RUNS, Choice.MEASURE}
)

ANALYSES = [
    Analysis(
        name="run-likeness",
        chapter=CHAPTER,
        question="Which runs return the same targets?",
        paper="FIRE, Table 3",
        definition=(
            "Of each two runs, over the queries that both answer, each counting once: the share of "
            "the first 10 that both hold, where both rankings are shorter of the longer one, so 1 "
            "for a run with itself, with a 95 % interval by groups of queries (Wilson's, with an "
            "effective number of queries); rank-biased overlap with p = .9, extrapolated "
            "from the last rank that is read, and as the sum over the first 10 ranks, which FIRE "
            "prints; Kendall's tau over the targets that both hold, where they hold two; and the "
            "mean rank of one run's best target in the other. Rankings are read to rank 50, to 20 "
            "or 10 of very many runs and queries, and in their stored order, in which equal scores "
            "have an order too; targets below an excluded one move up. No label is read."
        ),
        find=likeness.likeness_of_runs,
        function=run_likeness,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/pool/test_run_likeness.py",
        choices=frozenset({Choice.QUERIES, Choice.RUNS}),
    ),
    Analysis(
        name="unique-positives",
        chapter=CHAPTER,
        question="Which runs do the labels favour because those runs were pooled?",
        paper="FIRE, Table 4",
        definition=(
            "A run brought a pair to a pool if an opened pool with this run holds the pair and the "
            "run has it within the pool's depth; a duplicate counts as its original. Labels that "
            "one run alone, of the runs in use of all pools of this direction, brought are taken "
            "away from it: a reference's labels come back there, and labels that no run brought "
            "stay. The same with all runs of a team at once; a run without a team is one by "
            "itself. Scores are the leaderboard's; the loss is a mean over queries with Student's "
            "95 % interval by groups. A rank is among the chosen runs, of which the others keep "
            "all labels. Only labels that the pairs themselves have are counted, not those that "
            "duplicates take; golds, training and labels taken back are none."
        ),
        find=own_labels.unique_positives,
        function=without_own_labels,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/pool/test_own_labels.py",
        choices=OF_SCORES,
        measures=("C@1", "C@5", "C@10", "AP"),
        n_measures=None,
    ),
    Analysis(
        name="scores-by-pools-of-one",
        chapter=CHAPTER,
        question="How does each run score by the labels that another run alone would have brought?",
        paper="ECCV Caption, Table E.1",
        definition=(
            "Of each two of the chosen pooled runs, and of each with itself, the score of the one "
            "with people's labels of those pairs alone that the other brought, as if of these runs "
            "only that one had been pooled. Labels that none of these runs brought count "
            "throughout, and where people's label is taken away a reference's comes back. The gain "
            "of a run by its own pool is its score there less the mean of its scores by the pools "
            "of the others; it is a mean over runs and queries, with Student's 95 % interval by "
            "groups of queries. "
            "Where two of these runs or more name different teams, and a team has several, the "
            "same by pools of one team, which hold what any of its runs here brought: a run's own "
            "is that of its team, and a run without a team is one by itself. Labels and positives "
            "of a pool are those that the pairs themselves have; scores also count those that "
            "duplicates take. What a run brought is said at unique-positives."
        ),
        find=single_pools.scores_by_pools_of_one,
        function=pools_of_one,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/pool/test_pools_of_one.py",
        choices=OF_SCORES,
        measures=("C@1", "C@5", "C@10", "AP"),
        n_measures=None,
    ),
    Analysis(
        name="pool-bias-by-size",
        chapter=CHAPTER,
        question="How far would the scores be off if fewer of these runs had been pooled?",
        paper="ECCV Caption, Figure E.2",
        definition=(
            "Of every subset of the chosen pooled runs, or of some drawn subsets of each of some "
            "sizes where there are more than five, the scores of all these runs with the labels "
            "that the subset brought alone, and their mean distance from the scores with all "
            "labels: over the runs of the subset, and over those outside. Where two of these runs "
            "or more name different teams, and a team has several, the same of subsets of teams, "
            "each with all its runs here; a run without a team is one by itself. Labels that none "
            "of these runs brought count throughout, and where people's label is taken away a "
            "reference's comes back. What a run brought is said at unique-positives."
        ),
        find=by_size.bias_of_fewer_runs,
        function=bias_by_size,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/pool/test_bias_by_size.py",
        choices=OF_SCORES,
        measures=("C@1",),
        n_runs=40,
    ),
    Analysis(
        name="saturated-queries",
        chapter=CHAPTER,
        question="Which queries should be judged deeper?",
        paper="FIRE, Appendix G (there of all queries together)",
        definition=(
            "Of the pairs that the chosen runs brought to opened pools and that have people's "
            "grade of their own, those whose best rank among these runs is in the last quarter of "
            "the ranks down to which the query was judged, to the deepest of these best ranks: of "
            "a depth of 10 the ranks 8 to 10. "
            "Queries are listed if half of these pairs, or more, are positive. The share of all "
            "of them has Wilson's 95 % interval with an effective number of pairs, by groups of "
            "queries. Pairs to add are those of the first ranks down to ten below that depth "
            "that nobody has labelled, no open pool asks about and no lead has left out, each "
            "once. The share of positives among all pairs that one of these runs alone brought has "
            "the same interval; of a single run, which brought all its pairs alone, there is none. "
            "A pool has one depth, ten ranks below the deepest of these "
            "queries. Hours: at the median time of a judgment here, with the labels and "
            "gold checks that the policy plans. Excluded "
            "pairs, golds, training and labels taken back do not count."
        ),
        find=edges.saturated_queries,
        function=pool_edges,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/pool/test_edges.py",
        choices=frozenset({Choice.LABELS, Choice.THRESHOLD, Choice.QUERIES, Choice.RUNS}),
        next_page=NextPage(
            "Make a pool", "pooling:pool-new", frozenset({Role.RESEARCHER}), begins_work=True
        ),
        item_columns=(ItemColumn("query", SOURCE, "content"),),
    ),
    Analysis(
        name="people-as-systems",
        chapter=CHAPTER,
        question="How well does one person do by the labels of the others?",
        paper="Voorhees 2000, there of second assessors on TREC-4",
        definition=(
            "Of the pairs with planned labels of two annotators or more, one annotator's positives "
            "are held to the share of the others that call the pair positive, from the threshold "
            "up: precision over the annotator's positives, recall over what the others call "
            "positive, F1 the harmonic mean of both; with two labels a pair as of one assessor by "
            "another. All together have one number, and one interval, for precision and recall. "
            "Wilson's 95 % intervals with an effective number of labels, by groups of queries; "
            "F1 has none. Planned labels are the first one of a pair and doubles, asked for "
            "whatever others said. "
            "Pairs that a lead excluded, themselves or an item of theirs, are left out; golds, "
            "training, repeats, third labels after a disagreement and labels taken back do not "
            "count. Models and simulations are annotators here, and marked."
        ),
        find=people.people_by_people,
        function=people_as_systems,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/pool/test_people.py",
        choices=frozenset({Choice.THRESHOLD}),
        of_pairs=True,
        of_people=True,
    ),
    Analysis(
        name="conclusions",
        chapter=CHAPTER,
        question="Which conclusions depend on whose labels?",
        paper="Voorhees 2000, there of the orders of systems by other assessors",
        definition=(
            "The runs are scored again with every other label set: without all labels of one "
            "annotator, of the 20 with most, where the rest of a pair's labels decide its grade by "
            "the collection's own rule, and duplicates take what their originals then have; from "
            "every other grade up; with each reference set alone, people alone, and both, people's "
            "grade first or the larger one; with the lowest and the highest score that labels of "
            "what nobody has labelled could give each run by itself, as the leaderboard bounds it; "
            "and with earlier labels: without the last 100, 1,000, 10,000 and 100,000 labels of "
            "these queries that were stored, where 100 remain, decided by the same rule. A label "
            "that was changed stands where it was changed, labels of a file in the file's order, "
            "and a lead's decision that came after the first of the last labels is taken back with "
            "them. These give advice on going on, and have no part in the headline. Kendall's "
            "tau-b and tau-AP, the mean of both ways, are of the means, equal to 12 digits being "
            "equal. Two runs differ if Tukey's HSD at .05 over all runs and the error of their own "
            "differences both say so, by groups of queries. A lead's decision on a pair stays "
            "whoever is left out; golds, training, repeats and labels taken back do not count, nor "
            "do pairs that a lead excluded. What a set has no label of counts as irrelevant, and "
            "queries that a run misses as 0. Pairs of another grade, pairs that had one and have "
            "none now, and pairs with one here alone are counted apart; and where labels are left "
            "out, pairs that people graded and do not any more, whatever a reference has in its "
            "place, which are none of another grade. Label sets that are the chosen one again are "
            "not counted in the headline."
        ),
        find=under_other_labels.conclusions_under_other_labels,
        function=conclusions,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/pool/test_conclusions.py",
        choices=OF_SCORES,
        measures=("AP",),
        n_runs=40,
    ),
]
