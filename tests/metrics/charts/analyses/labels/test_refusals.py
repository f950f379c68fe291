"""Sentences on refused positives: an interval from thirty graded ones on, and what is listed."""

import numpy as np

from metrics.charts.analyses.labels import refusals as module
from metrics.charts.analyses.labels.items import ItemSummary
from metrics.charts.analyses.labels.refusals import RefusedPair, refusals_result
from metrics.charts.analyses.nouns import Nouns
from metrics.core.analyses.labels.refusals import NamedGrades, refused_positives
from metrics.core.labels.label_sources import sorted_grades
from metrics.core.statistics.groups import Groups

NOUNS = Nouns("captions", "50 captions", ["Rough."])
PAIR = RefusedPair("a", ItemSummary("q", "one"), ItemSummary("d", ""), 2, 0, "No", 1, "Single", [])


def result(*n_graded, n_refused=7, pairs=(PAIR,), propagated=()):
    """Of each set the first captions have a grade by people, who refuse so many of them.

    propagated : the propagated grades of the first captions
    """
    people = {(caption, 1): int(caption >= n_refused) for caption in range(50)}
    references = [
        NamedGrades(name, sorted_grades(np.array([(caption, 1, 1) for caption in range(n)])))
        for name, n in zip("abc", n_graded, strict=False)
    ]
    own = sorted_grades(np.array([(*pair, grade) for pair, grade in people.items()]))
    copies = [(caption, 1, grade) for caption, grade in enumerate(propagated)]
    rows, of_copies = (
        refused_positives(
            grades, references, sources=np.arange(50), threshold=1, groups=Groups.single(50)
        )
        for grades in (own, sorted_grades(np.array(copies, dtype=np.int64)))
    )
    return refusals_result(pairs, rows, of_copies, NOUNS, sides=("query", "document"), runs=[])


def test_the_share_of_thirty_and_more_has_its_interval():
    assert result(40).headline == (
        "People refused 7 of the 40 positives of reference “a” that they graded (17.5 %, 95 % "
        "interval 8.7 to 31.9)"
    )


def test_of_few_and_of_several_sets_numbers_are_told():
    assert result(29, 8).headline == (
        "People refused 7 of the 29 positives of reference “a” that they graded; 7 of the 8 "
        "positives of reference “b” that they graded"
    )
    assert [note.split(";")[0] for note in result(29, 8).notes] == [
        "Reference “a” has 29 positives of these captions",
        "Reference “b” has 8 positives of these captions",
        "Rough.",
    ]


def test_propagated_grades_are_told_apart():
    (first, *_) = result(40, propagated=[0, 1, 0]).notes
    assert first == (
        "Reference “a” has 40 positives of these captions; people graded 40 of them and refused "
        "7. Propagated grades refuse 2 of the 3 that have one. Of the others nothing is known."
    )


def test_a_list_that_is_too_long_says_so(monkeypatch):
    monkeypatch.setattr(module, "MOST_PAIRS", 2)
    long = result(40, pairs=[PAIR] * 3)
    assert len(long.rows) == 2
    assert (
        "The first 2 of 3 pairs are listed, in the CSV too. For the others choose a smaller query "
        "set; Downloads have all grades, of people and of the reference."
    ) in long.notes
