"""The chapter on the collection: positives of its queries, and the texts of these."""

from metrics.core.analyses.collection.duplicates import near_texts
from metrics.core.analyses.collection.hits import hits_by_length, hits_by_similarity
from metrics.core.analyses.collection.lengths import length_examples, positives_by_length
from metrics.core.analyses.collection.positives import positives_per_query
from metrics.core.analyses.collection.text_lengths import similarity_by_length
from metrics.score_files.choices import Choice
from metrics.services.analysis.analyses import Analysis, Chapter, NextPage, Oracle
from metrics.services.analysis.collection import duplicates, hits, lengths, positives
from metrics.services.analysis.item_columns import ItemColumn

CHAPTER = Chapter(
    "collection",
    "The collection",
    "How many positives its queries have, and what their texts have to do with it.",
)
OF_LABELS = frozenset({Choice.LABELS, Choice.THRESHOLD, Choice.QUERIES})
OF_RUNS = OF_LABELS | {Choice.RUNS, Choice.MEASURE}

ANALYSES = [
    Analysis(
        name="positives-per-query",
        chapter=CHAPTER,
        question="How many positives does a query have?",
        paper="FIRE, Figure 11; ECCV Caption, Figure 3 (a)",
        definition=(
            "Of each query of the set the targets whose grade reaches the threshold are counted, "
            "by the chosen label source and by each of its parts alone: reference sets, people, "
            "who have no propagated grades there. "
            "Excluded items are left out. Means have the weights of drawn queries, and Student's "
            "95 % interval by groups of queries; quartiles are linear between neighbours."
        ),
        find=positives.per_query,
        function=positives_per_query,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/collection/test_positives.py",
        choices=OF_LABELS,
    ),
    Analysis(
        name="positives-by-length",
        chapter=CHAPTER,
        question="Do shorter texts have more positives?",
        paper="FIRE, Figure 2",
        definition=(
            "Queries are counted by the number of words of their text, parted by white space, and "
            "by their positives. The ratio is the mean of the shortest fifth of the texts over "
            "that of the longest, with all texts of the length at its border; its 95 % interval "
            "is Student's on the logarithm, by groups of queries. Spearman's correlation has an "
            "interval on Fisher's z, with the standard error of 1,000 bootstrap samples of groups."
        ),
        find=lengths.by_length,
        function=positives_by_length,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/collection/test_lengths.py",
        choices=OF_LABELS,
    ),
    Analysis(
        name="length-examples",
        chapter=CHAPTER,
        question="What do the shortest, usual and longest texts look like?",
        paper="FIRE, Tables 5 and 6",
        definition=(
            "Five texts each, drawn from the hundred shortest, the hundred in the middle, and the "
            "hundred longest. The seed is a hash of the lengths, so the same collection shows the "
            "same texts."
        ),
        find=lengths.examples,
        function=length_examples,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/collection/test_length_examples.py",
        choices=OF_LABELS,
    ),
    Analysis(
        name="hits-by-length",
        chapter=CHAPTER,
        question="Which of two runs is right on short texts, and which on long ones?",
        paper="FIRE, Figure 3",
        definition=(
            "Of the queries with a text of so many characters, the shares on which the measure is "
            "1 for both runs, for one alone, or for neither; a query that a run misses counts 0. "
            "By the chosen label source, and by its reference sets alone. Bins are of one width "
            "(1, 2, 5, 10, 20, ...), eight at most; the last holds all longer texts. Intervals "
            "are Wilson's at 95 %, with an effective number of queries where they are of groups. "
            "Over all queries, Spearman's rank correlation of the length with 1 where the first "
            "run alone is right, -1 where the second alone is, and 0 elsewhere, its interval on "
            "Fisher's z by groups."
        ),
        find=hits.by_length,
        function=hits_by_length,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/collection/test_hits.py",
        choices=OF_RUNS,
        measures=("C@5",),
        n_runs=2,
    ),
    Analysis(
        name="hits-by-training-similarity",
        chapter=CHAPTER,
        question="Which of two runs is right on texts that resemble training texts?",
        paper="FIRE, Figure 8",
        definition=(
            "As the hits by length, in tenths of the similarity: the mean cosine similarity of "
            "a text to its ten nearest training texts (items of the same side with the split "
            "“train”), as TF-IDF vectors of their 5-grams of characters, fitted to the queries' "
            "texts. A text of fewer than five characters has no 5-gram and a similarity of 0. Of "
            "all queries together, Spearman's and Kendall's (tau-b) rank correlation of the "
            "similarity with whether a run is right (1 or 0), the interval of Spearman's on "
            "Fisher's z by groups; Kendall's counts every query alike."
        ),
        find=hits.by_similarity,
        function=hits_by_similarity,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/collection/test_hits_by_similarity.py",
        choices=OF_RUNS,
        measures=("C@5",),
        n_runs=2,
    ),
    Analysis(
        name="training-similarity-and-length",
        chapter=CHAPTER,
        question="Are shorter texts more like the training texts?",
        paper="FIRE, Table 7",
        definition=(
            "Spearman's and Kendall's (tau-b) rank correlation of the length of a text, in words "
            "and in characters, with its mean similarity to the ten nearest training texts. "
            "Intervals are Student's on Fisher's z, with the standard error of bootstrap samples "
            "of groups of queries: 1,000 for Spearman's, 400 for Kendall's."
        ),
        find=lengths.by_similarity,
        function=similarity_by_length,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/collection/test_text_lengths.py",
        choices=frozenset({Choice.QUERIES}),
    ),
    Analysis(
        name="duplicates",
        chapter=CHAPTER,
        question="Which items are the same, or nearly?",
        paper="ECCV Caption, Appendix C.1 (a picture that is there twice)",
        definition=(
            "Items of one side are the same if their parts are, in their order: texts in Unicode's "
            "NFKC, without case, stops, commas, quotes, brackets and width of white space; pages "
            "of HTML by their markup; files by their checksum, with start and end. Texts are "
            "nearly the same if the cosine of their TF-IDF vectors of 5-grams of characters, "
            "fitted to the texts of their side, is .9 or more; of texts that are the same one is "
            "compared. Items of one image alone look alike if, after small cuts and changes of "
            "light, the colours of their previews in 32 by 32 cells differ by at most 17 % of the "
            "contrast (Oklab, root mean square), or all but 24 cells by at most .012; images at "
            "addresses on the web are never fetched, and not compared. Items that are the same as "
            "one of another split, such as training items, "
            "are a kind of their own, which takes no grade. Excluded items are left out."
        ),
        find=duplicates.find,
        function=near_texts,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/collection/test_duplicates.py",
        choices=frozenset(),
        of_pairs=True,
        of_files=True,
        next_page=NextPage("Judge duplicates once", "metrics:duplicates"),
        item_columns=(ItemColumn("id", "side", "content"), ItemColumn("original", "side")),
    ),
]
