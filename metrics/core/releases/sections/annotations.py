"""The section on the annotations: how they were made, by whom, and how far they agree."""

from annotate.core.phrases import counted
from metrics.core.releases.manifest import Manifest, PeopleEntry
from metrics.core.releases.sections.markdown import bullets, inline, section, sentence
from metrics.core.releases.sections.numbers import decimal, interval, is_number, percent

_ORIGINS = {
    "person": ("person who judged in Assayer", "people who judged in Assayer"),
    "import": ("annotator whose labels came in a file", "annotators whose labels came in files"),
    "simulated": ("simulated annotator, a program", "simulated annotators, all programs"),
    "model": ("model", "models"),
}


def annotations(manifest: Manifest) -> str:
    """Return the section Annotations, with the annotators as Data Statements have them (D)."""
    return "\n\n".join(
        [
            section("Annotations"),
            section("Annotation process", *process_paragraphs(manifest), level=3),
            section("Annotator demographic", *annotator_paragraphs(manifest), level=3),
            section("Hours and pay", *work_paragraphs(manifest), level=3),
            section("Agreement", *agreement_paragraphs(manifest), level=3),
            section("Gold checks", *gold_paragraphs(manifest), level=3),
        ]
    )


def process_paragraphs(manifest: Manifest) -> list[str]:
    """Return the counts of judgments and pairs, and where guidelines and policy stand."""
    counts = manifest.counts
    versions = [
        _versions(len(manifest.guidelines), "version of the guidelines", "guidelines"),
        _versions(len(manifest.policies), "version of the policy", "policies"),
    ]
    return [
        "An annotator saw a query and a document and gave the pair a grade. There "
        f"{_form(counts.n_judgments, 'is', 'are')} {counted(counts.n_judgments, 'judgment')}; "
        f"{counts.n_labels:,} of them "
        f"{_form(counts.n_labels, 'counts as a label', 'count as labels')}, on "
        f"{counted(counts.n_pairs, 'pair')}. In detail:",
        bullets(
            [
                f"{counted(counts.n_decided, 'pair')} with a grade by people",
                f"{counted(counts.n_propagated, 'pair')} with the grade of "
                f"{_form(counts.n_propagated, 'its original', 'their originals')}",
                f"{counted(counts.n_disputed, 'pair')} left undecided",
                f"{counted(counts.n_open, 'pair')} still waiting for labels",
                f"{counted(counts.n_reports, 'report')} that a pair cannot be judged or should be "
                "decided by somebody else",
                f"{counted(counts.n_conflicts, 'pair')} on which people and a reference set differ",
                f"{counted(counts.n_refused_positives, 'positive')} of a reference set that people "
                "refused",
            ]
        ),
        "A pair can be in two of these lines: one that has a grade may wait for a further label, "
        "and one that waits may have labels and no grade yet.",
        " ".join(versions),
    ]


def _form(n: int, singular: str, plural: str) -> str:
    return singular if n == 1 else plural


def _amount(value: float, unit: str) -> str:
    text = decimal(value)
    return f"{text} {unit}" if text == "1" else f"{text} {unit}s"


def _duration(hours: float) -> str:
    """Hours, or minutes of less than one, which would be printed as 0 hours."""
    return _amount(hours, "hour") if hours >= 1 or not hours else _amount(60 * hours, "minute")


def _versions(n: int, noun: str, key: str) -> str:
    kind, of, text = noun.partition(" of ")
    stands = _form(n, "stands", "stand")
    if not n:
        return f"This release has no {noun}."
    return f"{counted(n, kind)}{of}{text} {stands} in `manifest.json`, under `{key}`."


def _people(entry: PeopleEntry) -> str:
    unnamed = (f"{entry.origin} annotator", f"{entry.origin} annotators")
    noun = _form(entry.n_annotators, *_ORIGINS.get(entry.origin, unnamed))
    low, middle, high = entry.labels_each
    spread = (
        f", from {low:,} to {high:,} each, {decimal(middle)} in the middle"
        if entry.n_annotators > 1
        else ""
    )
    count = _form(entry.n_labels, "counts", "count")
    return inline(
        f"{entry.n_annotators:,} {noun}: {counted(entry.n_labels, 'label')} {count}{spread}"
    )


def annotator_paragraphs(manifest: Manifest) -> list[str]:
    """Return the numbers of annotators by their origin."""
    return [
        bullets(f"{_people(entry)}." for entry in manifest.people)
        if manifest.people
        else "Nobody gave labels.",
        "Annotators have pseudonyms. Their age, gender, origin, languages, schooling and "
        "experience are not recorded, nor who wrote the guidelines.",
    ]


def work_paragraphs(manifest: Manifest) -> list[str]:
    """Return the days, hours and pay of people."""
    work = manifest.work
    days = (
        f"Annotators judged from {inline(work.first_on)} to {inline(work.last_on)} (days in UTC)."
        if work.first_on and work.last_on
        else "Nobody judged in Assayer: all labels, if any, were imported."
    )
    hours = (
        f"All answers that count, checks and training among them, took {_duration(work.hours)}."
        if is_number(work.hours)
        else "No answer has a time, so the hours of work are not known."
    )
    median = (
        f"Half of the answers with a time took {_amount(work.median_seconds, 'second')} or less."
        if is_number(work.median_seconds)
        else "How long an answer took is not known."
    )
    pay = (
        f"An hour was paid {decimal(work.hourly_pay)} {inline(work.currency)}".rstrip() + "."
        if is_number(work.hourly_pay)
        else "This release does not tell what annotators were paid."
    )
    return [f"{days} {hours} {median}", pay]


def agreement_paragraphs(manifest: Manifest) -> list[str]:
    """Return the agreement of labels with its interval."""
    agreement = manifest.agreement
    basis = (
        f"{counted(agreement.n_pairs, 'pair')} {_form(agreement.n_pairs, 'has', 'have')} two "
        f"labels or more, {counted(agreement.n_labels, 'label')} in all, without those that were "
        "asked for on a disagreement."
        if agreement.n_pairs
        else "No pair has two labels."
    )
    alpha = (
        f"Krippendorff's alpha of the labels, for {inline(agreement.measurement)} grades, is "
        f"{agreement.alpha:.3f}, {interval(agreement.low, agreement.high)}."
        if is_number(agreement.alpha)
        else "Krippendorff's alpha of the labels is undefined. "
        + (sentence(agreement.undefined) or "The reason is not recorded.")
    )
    same = (
        f"Of two labels of the same pair {percent(agreement.same_grade)} have the same grade."
        if is_number(agreement.same_grade)
        else "How often two labels have the same grade is undefined."
    )
    return [alpha, f"{same} {basis}"]


def gold_paragraphs(manifest: Manifest) -> list[str]:
    """Return the share of right answers to gold checks with its interval."""
    golds = manifest.golds
    if not golds.n_answers:
        return ["No annotator answered a gold check, a pair with a known grade."]
    share = (
        f", {percent(golds.share)}, {interval(golds.low, golds.high, in_percent=True)}"
        if is_number(golds.share)
        else ""
    )
    return [
        "Pairs with a known grade were mixed in, to check the work. "
        f"{golds.n_right:,} of {counted(golds.n_answers, 'answer')} to them "
        f"{_form(golds.n_right, 'was', 'were')} right{share}."
    ]
