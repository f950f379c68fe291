"""The terms of the field that pages explain on hover: their one definition, and its source."""

from typing import NamedTuple


class Term(NamedTuple):
    """A term as pages write it, its definition in 40 words at most, and where to read more.

    phrases : the words that sentences from Python have for it, such as those of an analysis
    """

    word: str
    definition: str
    source: str
    phrases: tuple[str, ...] = ()


TERMS = {
    "adjudication": Term(
        "adjudication",
        "A lead decides the grade of a pair whose labels decide nothing, or that an annotator "
        "escalated. The decision is the pair's grade; it never counts towards agreement.",
        "docs/review.md",
    ),
    "alpha": Term(
        "Krippendorff's alpha",
        "Krippendorff's measure of how far people agree beyond chance: 1 is full agreement, "
        "0 is chance, below 0 is less than chance. Any number of people may judge a pair.",
        "Krippendorff 2019; docs/numbers.md",
        ("Krippendorff's alpha", "Alpha"),
    ),
    "bootstrap": Term(
        "bootstrap",
        "The number is computed many times from units, such as groups of queries, that are drawn "
        "anew with replacement. A percentile interval holds the middle 95 % of the results.",
        "docs/numbers.md",
        ("bootstrap",),
    ),
    "bounds": Term(
        "bounds",
        "The smallest and the largest value that a score can still take, whatever grades the "
        "pairs without one turn out to have.",
        "docs/numbers.md",
    ),
    "Bpref": Term(
        "Bpref",
        "A score that looks at results with a grade alone: how often a negative stands above a "
        "positive. Results without a grade are skipped. From 0 to 1.",
        "Buckley and Voorhees 2004",
        ("Bpref",),
    ),
    "C@k": Term(
        "C@k",
        "The share of queries with a positive among the run's first k results. C@1 looks at the "
        "first result only. Many papers on text and images call it Recall@k.",
        "docs/numbers.md",
        ("C@1", "C@5", "C@10"),
    ),
    "ceiling": Term(
        "ceiling",
        "The precision of one person by the labels of the others. A system that scores more than "
        "this is better than these labels can tell.",
        "docs/numbers.md",
    ),
    "depth": Term(
        "depth",
        "How many of a run's first results are taken: depth 10 takes ranks 1 to 10 of each query.",
        "docs/researchers.md",
    ),
    "design effect": Term(
        "design effect",
        "How many times larger the variance of a mean is than if its queries were independent, as "
        "those of one group are alike. 1 where each query stands by itself.",
        "docs/numbers.md",
        ("design effect", "Design effect"),
    ),
    "double": Term(
        "double",
        "A pair that two people judge independently, chosen by chance and not because somebody "
        "disagreed. Agreement is measured on such pairs.",
        "docs/policy.md",
    ),
    "escalated": Term(
        "escalated",
        "An annotator sent the pair to a lead, with a question, instead of giving a label. It "
        "waits in the inbox for the lead's decision.",
        "docs/review.md",
    ),
    "gold": Term(
        "gold",
        "A pair whose right grade is known. It is mixed among an annotator's other pairs, looks "
        "like them, and shows how careful the work is.",
        "docs/policy.md",
    ),
    "infNDCG": Term(
        "infNDCG",
        "An estimate of nDCG where people judged a sample of the pool that was drawn by strata. It "
        "has a bias, which shrinks as more is drawn and judged.",
        "Yilmaz et al. 2008",
        ("infNDCG",),
    ),
    "judged@k": Term(
        "judged@k",
        "The share of a run's first k results that have been judged. Where it is low, a score may "
        "be too low, as results without a grade count as negative.",
        "docs/numbers.md",
    ),
    "kappa": Term(
        "kappa",
        "Agreement beyond chance on levels without an order, or with weights by their distance: 1 "
        "is full agreement, 0 is chance. Cohen's is of two people, Fleiss' of as many labels a "
        "pair.",
        "docs/numbers.md",
        ("Cohen's kappa", "Fleiss' kappa"),
    ),
    "leave-one-out": Term(
        "leave-one-out",
        "Each run is scored anew without the labels that it alone brought, as if it had not been "
        "pooled. The loss says what a new run would miss.",
        "docs/numbers.md",
    ),
    "letters": Term(
        "letters",
        "Runs that share a letter are not shown to differ by the measure of the column; runs "
        "without a common letter differ significantly. The best run has the letter a.",
        "docs/numbers.md",
    ),
    "MAP@R": Term(
        "mAP@R",
        "Average precision within the first R results of a query, where R is the number of its "
        "positives. 1 means that all positives come first.",
        "Musgrave et al. 2020",
    ),
    "measurement": Term(
        "level of measurement",
        "What the distance of two levels means to agreement: nominal counts only equal or not, "
        "ordinal the order of the levels, interval the difference of their grades.",
        "docs/numbers.md",
    ),
    "nDCG": Term(
        "nDCG@k",
        "A score of the first k results that counts higher grades more and later ranks less, "
        "divided by the best that these grades allow. From 0 to 1.",
        "Järvelin and Kekäläinen 2002",
    ),
    "permutation": Term(
        "permutation test",
        "The scores of runs are exchanged at random, query by query or in groups. p says how often "
        "chance alone then makes a difference as large as the one at hand.",
        "docs/numbers.md",
        ("Randomization", "randomization"),
    ),
    "pool bias": Term(
        "pool bias",
        "A run that was in the pool has had its results judged; a run that comes later has not, "
        "so its score may be too low.",
        "docs/numbers.md",
    ),
    "pool": Term(
        "pool",
        "The pairs chosen to be judged, mostly those that runs rank highest. A pair outside every "
        "pool stays without a grade, unless it came with reference labels.",
        "docs/researchers.md",
    ),
    "positive": Term(
        "positive",
        "A pair whose grade is at or above the threshold that the page names. Measures count it "
        "as relevant, every other pair as not relevant.",
        "docs/numbers.md",
    ),
    "pseudo-group": Term(
        "pseudo-group",
        "A run and those below it, down to the first that differs significantly from it. No run of "
        "the group is separated from its first run; runs of two groups need not differ.",
        "docs/numbers.md",
    ),
    "qrels": Term(
        "qrels",
        "A text file of pairs and their grades, in the form that the tools of TREC read. Its name "
        "is short for query relevance judgments.",
        "docs/formats.md",
    ),
    "query set": Term(
        "query set",
        "A named list of queries of one direction, perhaps with a gallery of the items to find. "
        "Pools, scores and files name the one that they are of.",
        "docs/words.md",
    ),
    "RBO": Term(
        "rank-biased overlap",
        "How alike two rankings are, from 0 to 1. First ranks weigh most; the larger p is, the "
        "further down it looks.",
        "Webber et al. 2010",
        ("rank-biased overlap", "Rank-biased overlap", "RBO"),
    ),
    "reference labels": Term(
        "reference labels",
        "Labels that the collection came with, such as those of a published data set. They count "
        "in scores as the chosen label source says, and never in people's agreement.",
        "docs/words.md",
    ),
    "resolution": Term(
        "resolution",
        "The one grade that a pair ends up with, and how it came about: from a single label, by "
        "agreement, by a rule, or by a lead's decision.",
        "docs/policy.md",
    ),
    "stratum": Term(
        "stratum",
        "A part of the pool, such as some ranks of a query, of which pairs are drawn with one "
        "chance. Each judged pair stands for others of its stratum that were not drawn.",
        "docs/numbers.md",
        ("stratum", "strata"),
    ),
    "tau": Term(
        "Kendall's tau",
        "How alike two orders of the same things are: 1 if all pairs of them stand in the same "
        "order, -1 if all are reversed. Tau-b allows for ties.",
        "docs/numbers.md",
        ("Kendall's tau-b", "Kendall's tau", "tau-b"),
    ),
    "tau-AP": Term(
        "AP correlation",
        "Like Kendall's tau, but places near the top weigh more. 1 is the same order; which of the "
        "two orders is the reference makes a difference.",
        "Yilmaz et al. 2008",
        ("tau-AP",),
    ),
    "tolerance": Term(
        "tolerance",
        "How many grades apart two labels may be and still count as agreeing. 0 means that they "
        "must be the same.",
        "docs/policy.md",
    ),
    "Tukey": Term(
        "Tukey's HSD",
        "Compares all runs with each other at once. The chance that it calls even one pair of "
        "equal runs different stays at the chosen level.",
        "docs/numbers.md",
        ("Tukey's HSD", "Randomized Tukey", "randomized Tukey"),
    ),
    "xinfAP": Term(
        "xinfAP",
        "An estimate of average precision where people judged a sample of the pool that was drawn "
        "by strata. It has a bias, which shrinks as more is drawn and judged.",
        "Yilmaz et al. 2008",
        ("xinfAP",),
    ),
}
