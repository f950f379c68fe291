"""The origin of a release's labels in the properties of Croissant's vocabulary RAI 1.0.

https://docs.mlcommons.org/croissant/docs/croissant-rai-spec.html names them and how many values
each has; a property about which nothing is known is left out.
"""

from annotate.core.phrases import count_of, counted, enumeration
from metrics.core.releases.manifest import LevelEntry, Manifest, PeopleEntry, PoolEntry

Texts = str | list[str]

# the kinds of collection that the specification recommends, by the origin of labels
COLLECTION_TYPES = {
    "person": "Manual Human Curator",
    "import": "Secondary Data analysis",
    "simulated": "Software Collection",
    "model": "Software Collection",
}
# one and many of an origin
PEOPLE_OF_ORIGIN = {
    "person": ("person", "people"),
    "import": ("annotator of imported labels", "annotators of imported labels"),
    "simulated": ("simulated annotator", "simulated annotators"),
    "model": ("model", "models"),
}


def rai_properties(manifest: Manifest) -> dict[str, Texts]:
    """The properties with their texts, those without a text left out."""
    origins = [people.origin for people in manifest.people if people.n_labels]
    machines = [people for people in manifest.people if people.origin in ("simulated", "model")]
    days = (manifest.work.first_on, manifest.work.last_on)
    properties: dict[str, Texts] = {
        "dataCollection": _collection(manifest),
        "dataCollectionType": list(
            dict.fromkeys(COLLECTION_TYPES.get(origin, "Others") for origin in origins)
        ),
        "dataCollectionMissingData": _missing_data(manifest),
        "dataCollectionRawData": _raw_data(manifest),
        "dataCollectionTimeframe": [day for day in days if day],
        "dataImputationProtocol": _imputation(manifest),
        "dataAnnotationProtocol": _protocol(manifest),
        "dataAnnotationPlatform": ["Assayer (a web platform for relevance judgments)"],
        "dataAnnotationAnalysis": _analysis(manifest),
        "annotationsPerItem": _labels_a_pair(manifest),
        "annotatorDemographics": [_annotators(people) for people in manifest.people],
        "machineAnnotationTools": [_annotators(people) for people in machines],
        "dataUseCases": _use_cases(manifest),
        "dataBiases": _biases(manifest),
        "dataLimitations": list(manifest.limits),
        "personalSensitiveInformation": _personal(manifest),
        "dataReleaseMaintenancePlan": (
            f"This is version {manifest.version} of {manifest.released_on}. A release never "
            "changes: corrections and new labels come as a new version beside it."
        ),
    }
    return {f"rai:{name}": texts for name, texts in properties.items() if texts}


def _collection(manifest: Manifest) -> str:
    counts = manifest.counts
    sentences = [
        "Pairs of a query and a document were judged one by one on a scale of grades. "
        f"{counted(counts.n_pairs, 'pair')} of the release "
        f"{'has' if counts.n_pairs == 1 else 'have'} {counted(counts.n_labels, 'label')}.",
        *(_pool(pool) for pool in manifest.pools),
    ]
    return " ".join(sentences)


def _pool(pool: PoolEntry) -> str:
    n_runs = len(pool.runs) + pool.n_hidden_runs
    of_runs = f" of {counted(n_runs, 'run')}" if n_runs else ""
    depth = f", down to rank {pool.depth}" if pool.depth else ""
    return (
        f"The pool {pool.name} ({pool.direction}, {pool.strategy}) took "
        f"{counted(pool.n_pairs, 'pair')}{of_runs}{depth}."
    )


def _missing_data(manifest: Manifest) -> str:
    counts = manifest.counts
    return (
        "A pair that is not in the qrels was not judged: its grade is unknown, not the lowest one. "
        f"{counted(counts.n_open, 'pair')} waited for labels at the time of the release, "
        f"{counted(counts.n_disputed, 'pair')} stayed undecided, and there were "
        f"{counted(counts.n_reports, 'report')} that a pair could not be judged."
    )


def _raw_data(manifest: Manifest) -> str:
    sides = []
    for side in manifest.sides:
        kinds = [kind for kind, n in side.n_parts.items() if n]
        of_kinds = f" ({enumeration(kinds)})" if kinds else ""
        sides.append(f"{counted(side.n_items, side.side)}{of_kinds}")
    return f"{enumeration(sides)}." if sides else ""


def _imputation(manifest: Manifest) -> str:
    n_pairs = manifest.counts.n_propagated
    if not n_pairs:
        return ""
    return (
        f"{counted(n_pairs, 'pair')} of items that are marked as duplicates "
        f"{'has' if n_pairs == 1 else 'have'} the grade of their originals; the qrels mark them."
    )


def _protocol(manifest: Manifest) -> str:
    """One text, as the specification has it: the scheme, and which documents it was used by."""
    first_positive = manifest.collection.positive_from
    sentences = [
        f"The scale has {counted(len(manifest.levels), 'grade')}, "
        f"positive from {first_positive} on.",
        *(_level(level) for level in manifest.levels),
        f"manifest.json holds {counted(len(manifest.guidelines), 'version')} of the guidelines and "
        f"{counted(len(manifest.policies), 'version')} of the policy, which says how many labels "
        "a pair gets and how they become its grade.",
    ]
    return " ".join(sentences)


def _level(level: LevelEntry) -> str:
    sentence = f": {level.sentence.strip().rstrip('.')}" if level.sentence.strip() else ""
    n_labels = counted(level.n_labels, "label")
    return f"{level.grade} is {level.name}{sentence} ({n_labels})."


def _analysis(manifest: Manifest) -> list[str]:
    agreement, golds = manifest.agreement, manifest.golds
    texts = []
    if agreement.alpha is None:
        why = agreement.undefined.strip().rstrip(".")
        texts.append(f"Krippendorff's alpha is undefined{f': {why}' if why else ''}.")
    else:
        interval = ""
        if agreement.low is not None and agreement.high is not None:
            interval = f" (95 % interval {agreement.low:.3f} to {agreement.high:.3f})"
        texts.append(
            f"Krippendorff's alpha ({agreement.measurement}) is {agreement.alpha:.3f}{interval}, "
            f"from {counted(agreement.n_labels, 'label')} of "
            f"{counted(agreement.n_pairs, 'pair')} with two or more."
        )
    if agreement.same_grade is not None:
        texts.append(f"{agreement.same_grade:.1%} of pairs of labels have the same grade.")
    if golds.share is not None:
        texts.append(
            f"{golds.share:.1%} of {counted(golds.n_answers, 'answer')} to pairs of known grade "
            "were right."
        )
    texts.append(
        f"{counted(manifest.counts.n_decided, 'pair')} got a grade from people's labels, "
        f"{counted(manifest.counts.n_disputed, 'pair')} none. All single judgments are released."
    )
    return texts


def _labels_a_pair(manifest: Manifest) -> str:
    counts = manifest.counts
    if not counts.n_pairs:
        return ""
    return (
        f"{counts.n_labels / counts.n_pairs:.2f} on average: {counted(counts.n_labels, 'label')} "
        f"of {counted(counts.n_pairs, 'pair')}."
    )


def _annotators(people: PeopleEntry) -> str:
    smallest, middle, largest = people.labels_each
    singular, plural = PEOPLE_OF_ORIGIN.get(people.origin, ("other annotator", "other annotators"))
    n_people = f"{people.n_annotators:,} {singular if people.n_annotators == 1 else plural}"
    demographics = " No demographics were asked for." if people.origin == "person" else ""
    return (
        f"{n_people} gave {counted(people.n_labels, 'label')}: at least {smallest:,}, "
        f"at most {largest:,}, in the middle {middle:,g}.{demographics}"
    )


def _use_cases(manifest: Manifest) -> list[str]:
    if manifest.collection.is_rehearsal:
        return ["A rehearsal, to try out the work: not for the evaluation of systems."]
    return [
        "Testing: evaluation of retrieval systems by relevance labels.",
        "Study of the labels themselves: agreement, pools, annotators.",
        "Not for training of systems that are then evaluated with these labels.",
    ]


def _biases(manifest: Manifest) -> list[str]:
    texts = []
    if manifest.pools:
        texts.append(
            "Only pairs that a pool took were judged: systems unlike the pooled runs retrieve more "
            "unjudged pairs, and score lower than they would with labels of their own."
        )
    texts += [
        f"{bias.run} ({bias.direction}, {bias.query_set}): {bias.measure} is {bias.with_all:.4f}, "
        f"and {bias.without_own:.4f} without the "
        f"{count_of(bias.n_unique_positives, 'positives')} that it alone brought."
        for bias in manifest.pool_bias
    ]
    n_conflicts, n_refused = manifest.counts.n_conflicts, manifest.counts.n_refused_positives
    if n_conflicts:
        texts.append(
            f"People and reference sets differ on {counted(n_conflicts, 'pair')}; people refused "
            f"{count_of(n_refused, 'positives')} of the reference sets."
        )
    return texts


def _personal(manifest: Manifest) -> list[str]:
    texts = [
        "Annotators stand under pseudonyms; no names, addresses or demographics of them are in it.",
        "Times and durations of answers are in it, for each pseudonym.",
    ]
    texts.append(
        "Texts of the items are in it as they are, with what they say of people."
        if manifest.texts_leave
        else "No texts of the items are in it, only their ids."
    )
    texts.append(
        "Names and addresses of media are in it, not the media."
        if manifest.media_leave
        else "No names or addresses of media are in it."
    )
    return texts
