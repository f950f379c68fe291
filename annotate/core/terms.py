"""The terms of the field that pages explain on hover: their one definition, and its source."""

from typing import NamedTuple


class Term(NamedTuple):
    """A term as pages write it, its definition in 40 words at most, and where to read more."""

    word: str
    definition: str
    source: str


TERMS = {
    "adjudication": Term(
        "adjudication",
        "A lead decides the grade of a pair whose labels decide nothing, or that an annotator "
        "passed on. The decision is the pair's grade; it never counts towards agreement.",
        "docs/review.md",
    ),
    "alpha": Term(
        "Krippendorff's alpha",
        "Krippendorff's measure of how far people agree beyond chance: 1 is full agreement, "
        "0 is chance, below 0 is less than chance. Any number of people may judge a pair.",
        "Krippendorff 2019; docs/numbers.md",
    ),
    "bounds": Term(
        "bounds",
        "The smallest and the largest value that a score can still take, whatever grades the "
        "pairs without one turn out to have.",
        "docs/numbers.md",
    ),
    "C@k": Term(
        "C@k",
        "The share of queries with a positive among the run's first k results. C@1 looks at the "
        "first result only. Many papers on text and images call it Recall@k.",
        "docs/numbers.md",
    ),
    "depth": Term(
        "depth",
        "How many of a run's first results are taken: depth 10 takes ranks 1 to 10 of each query.",
        "docs/researchers.md",
    ),
    "double": Term(
        "double",
        "A pair that two people judge independently, chosen by chance and not because somebody "
        "disagreed. Agreement is measured on such pairs.",
        "docs/policy.md",
    ),
    "gold": Term(
        "gold",
        "A pair whose right grade is known. It is mixed among an annotator's other pairs, looks "
        "like them, and shows how careful the work is.",
        "docs/policy.md",
    ),
    "judged@k": Term(
        "judged@k",
        "The share of a run's first k results that have been judged. Where it is low, a score may "
        "be too low, as results without a grade count as negative.",
        "docs/numbers.md",
    ),
    "MAP@R": Term(
        "mAP@R",
        "Average precision within the first R results of a query, where R is the number of its "
        "positives. 1 means that all positives come first.",
        "Musgrave et al. 2020",
    ),
    "nDCG": Term(
        "nDCG@k",
        "A score of the first k results that counts higher grades more and later ranks less, "
        "divided by the best that these grades allow. From 0 to 1.",
        "Järvelin and Kekäläinen 2002",
    ),
    "pool": Term(
        "pool",
        "The pairs chosen to be judged, mostly those that runs rank highest. A pair outside every "
        "pool stays without a grade, unless it came with reference labels.",
        "docs/researchers.md",
    ),
    "pool bias": Term(
        "pool bias",
        "A run that was in the pool has had its results judged; a run that comes later has not, "
        "so its score may be too low.",
        "docs/numbers.md",
    ),
    "positive": Term(
        "positive",
        "A pair whose grade is at or above the threshold that the page names. Measures count it "
        "as relevant, every other pair as not relevant.",
        "docs/numbers.md",
    ),
    "qrels": Term(
        "qrels",
        "A text file of pairs and their grades, in the form that the tools of TREC read. Its name "
        "is short for query relevance judgments.",
        "docs/formats.md",
    ),
    "resolution": Term(
        "resolution",
        "The one grade that a pair ends up with, and how it came about: from a single label, by "
        "agreement, by a rule, or by a lead's decision.",
        "docs/policy.md",
    ),
}
