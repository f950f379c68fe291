from dataclasses import replace

from metrics.core.releases.manifest import CountsEntry, GoldsEntry, PeopleEntry
from metrics.core.releases.sections.annotations import annotations
from tests.metrics.core.releases.samples.cards import paragraphs_under
from tests.metrics.core.releases.samples.manifests import (
    bare_manifest,
    example_manifest,
    undefined_manifest,
)


def card(**changes) -> str:
    """The section of the example with some of its entries replaced, as a card of its own."""
    return f"---\n---\n{annotations(replace(example_manifest(), **changes))}"


def test_counts_are_in_the_plural():
    assert paragraphs_under(card(), "Annotation process") == [
        "An annotator saw a query and a document and gave the pair a grade. There are 5,200 "
        "judgments; 5,000 of them count as labels, on 3,900 pairs. In detail:",
        "3,850 pairs with a grade by people",
        "12 pairs with the grade of their originals",
        "21 pairs left undecided",
        "29 pairs still waiting for labels",
        "17 reports that a pair cannot be judged or should be decided by somebody else",
        "88 pairs on which people and a reference set differ",
        "40 positives of a reference set that people refused",
        "A pair can be in two of these lines: one that has a grade may wait for a further label, "
        "and one that waits may have labels and no grade yet.",
        "1 version of the guidelines stands in manifest.json, under guidelines. 1 version of the "
        "policy stands in manifest.json, under policies.",
    ]


def test_and_in_the_singular():
    ones = CountsEntry(1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
    versions = ({"version": 1}, {"version": 2})
    paragraphs = paragraphs_under(
        card(counts=ones, guidelines=versions, policies=()), "Annotation process"
    )
    assert paragraphs == [
        "An annotator saw a query and a document and gave the pair a grade. There is 1 judgment; "
        "1 of them counts as a label, on 1 pair. In detail:",
        "1 pair with a grade by people",
        "1 pair with the grade of its original",
        "1 pair left undecided",
        "1 pair still waiting for labels",
        "1 report that a pair cannot be judged or should be decided by somebody else",
        "1 pair on which people and a reference set differ",
        "1 positive of a reference set that people refused",
        "A pair can be in two of these lines: one that has a grade may wait for a further label, "
        "and one that waits may have labels and no grade yet.",
        "2 versions of the guidelines stand in manifest.json, under guidelines. This release has "
        "no version of the policy.",
    ]


def test_annotators_are_told_by_where_their_labels_come_from():
    people = (
        *example_manifest().people,
        PeopleEntry("person", 1, 1, (1, 1, 1)),
        PeopleEntry("simulated", 2, 30, (10, 15, 20)),
        PeopleEntry("model", 1, 5, (5, 5, 5)),
        PeopleEntry("panel", 2, 4, (2, 2, 2)),
    )
    assert paragraphs_under(card(people=people), "Annotator demographic") == [
        "6 people who judged in Assayer: 4,100 labels count, from 12 to 1,400 each, 650.5 in the "
        "middle.",
        "1 annotator whose labels came in a file: 900 labels count.",
        "1 person who judged in Assayer: 1 label counts.",
        "2 simulated annotators, all programs: 30 labels count, from 10 to 20 each, 15 in the "
        "middle.",
        "1 model: 5 labels count.",
        "2 panel annotators: 4 labels count, from 2 to 2 each, 2 in the middle.",
        "Annotators have pseudonyms. Their age, gender, origin, languages, schooling and "
        "experience are not recorded, nor who wrote the guidelines.",
    ]


def test_hours_and_pay_are_told_or_that_they_are_not_known():
    assert paragraphs_under(card(), "Hours and pay") == [
        "Annotators judged from 2026-09-01 to 2026-11-20 (days in UTC). All answers that count, "
        "checks and training among them, took 41.25 hours. Half of the answers with a time took "
        "9.4 seconds or less.",
        "An hour was paid 15 EUR.",
    ]
    work = replace(example_manifest().work, hours=1.0, median_seconds=1.0)
    assert "took 1 hour. Half of the answers with a time took 1 second or less." in (
        card(work=work)
    )
    assert paragraphs_under(card(work=bare_manifest().work), "Hours and pay") == [
        "Nobody judged in Assayer: all labels, if any, were imported. No answer has a time, so the "
        "hours of work are not known. How long an answer took is not known.",
        "This release does not tell what annotators were paid.",
    ]


def test_agreement_has_its_interval_or_the_reason_why_it_is_undefined():
    assert paragraphs_under(card(), "Agreement") == [
        "Krippendorff's alpha of the labels, for ordinal grades, is 0.713, with a 95 % interval "
        "from 0.671 to 0.752.",
        "Of two labels of the same pair 84.2 % have the same grade. 1,050 pairs have two labels or "
        "more, 2,150 labels in all, without those that were asked for on a disagreement.",
    ]
    assert paragraphs_under(card(agreement=bare_manifest().agreement), "Agreement") == [
        "Krippendorff's alpha of the labels is undefined. No pair has two labels.",
        "How often two labels have the same grade is undefined. No pair has two labels.",
    ]
    silent = undefined_manifest(None).agreement
    assert paragraphs_under(card(agreement=silent), "Agreement")[0] == (
        "Krippendorff's alpha of the labels is undefined. The reason is not recorded."
    )


def test_golds_are_told_with_their_interval():
    assert paragraphs_under(card(), "Gold checks") == [
        "Pairs with a known grade were mixed in, to check the work. 451 of 480 answers to them "
        "were right, 94.0 %, with a 95 % interval from 91.5 % to 95.8 %."
    ]
    one = GoldsEntry(1, 1, None, None, None)
    assert paragraphs_under(card(golds=one), "Gold checks")[0].endswith(
        "1 of 1 answer to them was right."
    )
    assert paragraphs_under(card(golds=bare_manifest().golds), "Gold checks") == [
        "No annotator answered a gold check, a pair with a known grade."
    ]
