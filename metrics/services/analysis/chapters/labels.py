"""The chapter on the labels: how many there are, how well they agree, and where they come from."""

from annotate.models import Side
from metrics.core.analyses.labels.arrivals import alpha_as_labels_came
from metrics.core.analyses.labels.by_pool import labels_by_pool
from metrics.core.analyses.labels.coefficients import agreement_coefficients
from metrics.core.analyses.labels.exclusions import exclusions_by_reason
from metrics.core.analyses.labels.person_pairs import agreement_by_person
from metrics.core.analyses.labels.positives_by_rank import positives_by_rank
from metrics.core.analyses.labels.positives_by_set import positives_by_set
from metrics.core.analyses.labels.rank_labels import labels_by_rank
from metrics.core.analyses.labels.reasons import reasons_given
from metrics.core.analyses.labels.reference_against_people import reference_against_people
from metrics.core.analyses.labels.refusals import refused_positives
from metrics.score_files.choices import Choice
from metrics.services.analysis.analyses import Analysis, Chapter, NextPage, Oracle
from metrics.services.analysis.item_columns import ItemColumn
from metrics.services.analysis.labels import (
    agreement,
    by_pool,
    exclusions,
    person_pairs,
    rank_labels,
    reasons,
    refusals,
)
from metrics.services.analysis.labels import positives_by_rank as by_rank
from metrics.services.analysis.labels import positives_by_set as by_set
from metrics.services.analysis.labels import reference_against_people as against_people

CHAPTER = Chapter(
    "labels",
    "The labels",
    "How many there are, how well people agree, and what each source of positives contributes.",
    NextPage("Comments", "metrics:comments"),
)
BY_RUN = frozenset({Choice.QUERIES, Choice.RUNS})
BOTH_ITEMS = (
    ItemColumn("query", Side.QUERY, "query_content"),
    ItemColumn("document", Side.DOCUMENT, "document_content"),
)

ANALYSES = [
    Analysis(
        name="labels-by-pool",
        chapter=CHAPTER,
        question="How many labels does each pool have, and how well do they agree?",
        paper="FIRE, Table 2",
        definition=(
            "Pairs of each pool (a pool has one round), of each import, of none, and of the "
            "collection, by what people's labels came to: a grade, which is relevant from the "
            "threshold up; a dispute; a wait for a lead or for another label; nothing. All labels "
            "of a pair count in each of its pools. Agreement is the share of pairs whose planned "
            "labels are all equal, of those with two or more, with a 95 % interval (Wilson's, with "
            "an effective number of pairs, by groups of queries). Planned labels are the first one "
            "of a pair and doubles, asked for whatever others said. Alpha is Krippendorff's on the "
            "collection's level of measurement, with 1,000 bootstrap samples of groups. Pairs that "
            "a lead excluded, themselves or an item of theirs, are left out; golds, training, "
            "repeats and labels taken back do not count."
        ),
        find=by_pool.by_pool,
        function=labels_by_pool,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/labels/test_by_pool.py",
        choices=frozenset({Choice.THRESHOLD}),
        of_pairs=True,
        of_people=True,
    ),
    Analysis(
        name="agreement-by-person",
        chapter=CHAPTER,
        question="Which annotators agree with one another, and which do not?",
        paper="FIRE, Section 3.2 (there of all annotators together)",
        definition=(
            "Of each two annotators the pairs that both gave a planned label, and the share to "
            "which they gave the same grade, with a 95 % interval (Wilson's, with an effective "
            "number of pairs, by groups of queries; none for fewer than two groups, and where a "
            "few groups hold most of the pairs); Cohen's kappa of these labels, and with quadratic "
            "weights where grades have an order. Beside them the share of all labels, third ones "
            "after a disagreement among them. Planned labels are the first one of a pair and "
            "doubles, asked for whatever others said. Pairs that a lead excluded, themselves or an "
            "item of theirs, are left out; golds, training, repeats and labels taken back do not "
            "count. People go by their pseudonyms; models and simulations are marked."
        ),
        find=person_pairs.by_person,
        function=agreement_by_person,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/labels/test_person_pairs.py",
        choices=frozenset(),
        of_pairs=True,
        of_people=True,
    ),
    Analysis(
        name="positives-by-set",
        chapter=CHAPTER,
        question="How many positives does each reference set have, and how many do people add?",
        paper="ECCV Caption, Table 3",
        definition=(
            "Of the queries of the set, in each direction that has some, the positive pairs are "
            "counted by each reference set alone, by people alone, by the chosen label source, and "
            "by the larger grade of all of them. A disputed pair has no grade; excluded items are "
            "left out. The factor is the mean over that of the oldest chosen reference set; its "
            "95 % interval is Student's on the logarithm, by groups of queries. Where grades are "
            "propagated, people have a row with them and one without."
        ),
        find=by_set.by_set,
        function=positives_by_set,
        oracle=Oracle.PUBLISHED,
        test="tests/metrics/core/analyses/labels/test_positives_by_set.py",
        choices=frozenset({Choice.LABELS, Choice.THRESHOLD, Choice.QUERIES}),
        of_both_directions=True,
    ),
    Analysis(
        name="reference-against-people",
        chapter=CHAPTER,
        question="How many of the reference's positives do people confirm, and what do they add?",
        paper="ECCV Caption, Table 2",
        definition=(
            "Of the pairs that people gave a grade of their own: precision is the share of a set's "
            "positives that are people's, recall the share of people's positives that are the "
            "set's, each the mean over the queries where it is defined, with the 95 % interval of "
            "a share by groups of queries. Propagated grades are counted apart. The paper leaves "
            "queries without a judged positive of the set out of recall too: that has a column of "
            "its own. Disputed pairs, and pairs that a lead excluded, have no grade; excluded "
            "items are left out. Each set has a row, the chosen ones together, and all; so in both "
            "directions, where the other one has a query set of this name, and grades by people."
        ),
        find=against_people.against_people,
        function=reference_against_people,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/labels/test_reference_against_people.py",
        choices=frozenset({Choice.LABELS, Choice.THRESHOLD, Choice.QUERIES}),
        of_people=True,
        of_both_directions=True,
    ),
    Analysis(
        name="positives-by-rank",
        chapter=CHAPTER,
        question="At which ranks does a run have its positives, and who labelled them?",
        paper="FIRE, Figure 12",
        definition=(
            "The positive pairs by the chosen label source are counted by the rank that the target "
            "has in the run, as measures rank it, and by whether reference sets, people (by grades "
            "of the pair itself), both, or a propagated grade alone have the positive: of the sets "
            "of the source, or where it is people alone, of all. Judged is a target with a grade "
            "of its own. Pairs that a lead excluded count as unjudged. Ranks 1 to 20 "
            "stand alone, then bins end at 50, 100, 200, 500, ... Targets that are not in the run "
            "are counted apart. "
            "Shares are of all positives, with the 95 % interval of a share by groups of queries."
        ),
        find=by_rank.by_rank,
        function=positives_by_rank,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/labels/test_positives_by_rank.py",
        choices=frozenset({Choice.LABELS, Choice.THRESHOLD, Choice.QUERIES, Choice.RUNS}),
        n_runs=6,
    ),
    Analysis(
        name="labels-by-run-and-rank",
        chapter=CHAPTER,
        question="How good are the pairs at each rank of a run?",
        paper="ECCV Caption, Table B.2",
        definition=(
            "Of the pairs at a rank of a run, over the queries of the set, those that people gave "
            "a grade are counted by level, and shares are of them; propagated grades stand apart. "
            "Excluded items are not ranked; unknown targets keep their ranks and have no grade, "
            "nor have pairs that a lead excluded. "
            "The last rank is the deepest of the first 20 at which pairs have a grade at least "
            "half as often, over all chosen runs, as at the best-judged rank. Shares have the "
            "weights of drawn queries, and Wilson's 95 % interval by groups of queries, which may "
            "be the several pairs of one. In rows of more ranks or runs a pair counts once for "
            "each."
        ),
        find=rank_labels.by_run_and_rank,
        function=labels_by_rank,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/labels/test_rank_labels.py",
        choices=BY_RUN | {Choice.THRESHOLD},
        of_people=True,
    ),
    Analysis(
        name="reasons-by-run-and-rank",
        chapter=CHAPTER,
        question="What reasons do people give, by run and rank?",
        paper="ECCV Caption, Table B.3",
        definition=(
            "Labels that count (first, further and imported ones; no golds, training, repeats or "
            "decisions of leads) of the levels that offer reasons, or of which a label names one, "
            "by the reasons that they name: of all pairs of the queries, and of the pairs at ranks "
            "1 to 10, 1, 2 to 5 and 6 to 10 of each run. Excluded items and pairs are left out; a "
            "propagated grade is no label. A reason with details is counted as a whole, and by "
            "detail; one that is no longer offered, under its text. Shares of the labels have the "
            "weights of drawn queries, and Wilson's 95 % interval by groups of queries."
        ),
        find=reasons.by_run_and_rank,
        function=reasons_given,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/labels/test_reasons.py",
        choices=BY_RUN,
        of_people=True,
    ),
    Analysis(
        name="refused-positives",
        chapter=CHAPTER,
        question="Which positives of a reference set do people refuse?",
        paper="ECCV Caption, Appendix C.1 (wrong captions)",
        definition=(
            "Of each reference set of the chosen label source the pairs whose grade reaches the "
            "threshold, and that have a grade by people which is below it. Pairs whose grade is "
            "propagated are listed, and are in no share. Disputed pairs, and pairs that a lead "
            "excluded, have no grade; excluded items are left out. Ranks are those of scores, in "
            "the first eight of the chosen runs. The share has the weights of drawn queries, and "
            "Wilson's 95 % interval by groups."
        ),
        n_runs=refusals.MOST_RUNS,
        find=refusals.find,
        function=refused_positives,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/labels/test_refusals.py",
        choices=BY_RUN | {Choice.LABELS, Choice.THRESHOLD},
        of_people=True,
        item_columns=BOTH_ITEMS,
    ),
    Analysis(
        name="excluded-items",
        chapter=CHAPTER,
        question="Which items and pairs are excluded, and why?",
        paper="ECCV Caption, Appendix C.1 (invalid captions and images)",
        definition=(
            "Items and pairs that leads excluded and did not take back in, of both sides and "
            "whatever the direction, with the labels of their pairs that would count: first, "
            "further and imported ones. Reasons that differ in case and white space alone are one. "
            "Who excluded them is in the leads' log."
        ),
        find=exclusions.find,
        function=exclusions_by_reason,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/labels/test_exclusions.py",
        choices=frozenset(),
        of_pairs=True,
        of_people=True,
        item_columns=BOTH_ITEMS,
    ),
    Analysis(
        name="agreement-coefficients",
        chapter=CHAPTER,
        question="How well do annotators agree, by each coefficient that papers print?",
        paper="FIRE, Section 3.2 and Figure 7",
        definition=(
            "Of planned labels, which were asked for whatever others said, and of all labels: "
            "Krippendorff's alpha on the collection's level of measurement and on the nominal "
            "one; Fleiss' kappa of the pairs with the commonest number of labels; Cohen's kappa "
            "of each two annotators, averaged by the pairs in common; the share of pairs whose "
            "labels are all equal, and of equal pairs of labels. Alpha and that share also by the "
            "number of labels of a pair. 95 % intervals: of alpha and Fleiss' kappa percentiles "
            "of 1,000 bootstrap samples of groups of queries, of Cohen's Student's by groups, of "
            "the first share Wilson's with an effective number of pairs; the shares of equal "
            "pairs of labels have none. Right on a gold in use: the right side of the threshold, "
            "with Wilson's interval by single answers. Pairs that a lead excluded, themselves or "
            "an item of theirs, are left out; training, repeats and labels taken back do not "
            "count. Labels of models and simulations count and are told."
        ),
        find=agreement.coefficients,
        function=agreement_coefficients,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/labels/test_coefficients.py",
        choices=frozenset({Choice.THRESHOLD}),
        of_pairs=True,
        of_people=True,
    ),
    Analysis(
        name="alpha-as-labels-came",
        chapter=CHAPTER,
        question="Has agreement settled as labels came?",
        paper="FIRE, Section 3.2 (there of all labels at the end)",
        definition=(
            "Krippendorff's alpha on the collection's level of measurement of the first n labels "
            "that were stored, at 60 numbers n at most, evenly spaced: of planned labels, and of "
            "all. A label that was changed stands where it was changed; labels of a file in the "
            "file's order; labels taken back nowhere. Of planned labels the last point, and every "
            "tenth before it, has a 95 % interval of 1,000 bootstrap samples of groups of "
            "queries. Settled: from the first of these points on alpha was within .05 of the last "
            "one, which is looked at afterwards and no test. Pairs that a lead excluded, "
            "themselves or an item of theirs, are left out; golds, training and repeats do not "
            "count."
        ),
        find=agreement.as_labels_came,
        function=alpha_as_labels_came,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/labels/test_arrivals.py",
        choices=frozenset(),
        of_pairs=True,
        of_people=True,
    ),
]
