"""The last sections: bias and limits, licence, citation, and what wrote the files."""

from annotate.core.phrases import counted
from metrics.core.releases.citation import bibtex
from metrics.core.releases.licences import licence_address
from metrics.core.releases.manifest import Creator, Manifest
from metrics.core.releases.sections.markdown import bullets, fence, inline, section, sentence, table
from metrics.core.releases.sections.structure import direction_words

REHEARSAL = "The collection is a rehearsal: it tries out the work, and its labels are no data."


def considerations(manifest: Manifest) -> str:
    """Return the section Considerations for using the data."""
    return "\n\n".join(
        [
            section("Considerations for using the data"),
            section("Bias of the pool", *_pool_bias(manifest), level=3),
            section("Known limits", *_limits(manifest), level=3),
            section("Personal and sensitive information", *_personal(manifest), level=3),
        ]
    )


def _pool_bias(manifest: Manifest) -> list[str]:
    if not manifest.pool_bias:
        return [
            "What a run that was not pooled would lose cannot be told. "
            + (sentence(manifest.undefined_bias) or "The reason is not recorded.")
        ]
    return [
        "A run that was not pooled has results that nobody judged. How much that costs shows in "
        "the runs that were: their score with all labels, and without those of pairs that they "
        "alone, among the runs in use, brought into a pool. Both are by people's labels over those "
        "of the oldest reference set, if there is one.",
        table(
            (
                *("Run", "Direction", "Query set", "Measure"),
                *("With all", "Without its own", "Lost", "Positives that it alone brought"),
            ),
            [
                (
                    entry.run,
                    direction_words(entry.direction),
                    entry.query_set,
                    entry.measure,
                    f"{entry.with_all:.3f}",
                    f"{entry.without_own:.3f}",
                    f"{entry.with_all - entry.without_own:.3f}",
                    f"{entry.n_unique_positives:,}",
                )
                for entry in manifest.pool_bias
            ],
            numbers=4,
        ),
    ]


def _limits(manifest: Manifest) -> list[str]:
    limits = [*filter(None, map(sentence, manifest.limits))]
    if manifest.collection.is_rehearsal:
        limits.insert(0, REHEARSAL)
    return [bullets(limits) if limits else "No limits are recorded; that does not mean none exist."]


def _personal(manifest: Manifest) -> list[str]:
    return [
        "Annotators appear under pseudonyms.",
        "Whether the texts of the items name or describe people was not examined."
        if manifest.texts_leave
        else "Texts of the items, which may name or describe people, are not in this release.",
    ]


def licensing(manifest: Manifest) -> str:
    """Return the section Licensing information."""
    licence = manifest.licence.strip()
    if not licence:
        text = "No licence was chosen. Ask its creators before you use or share the data."
        return section("Licensing information", text)
    address = licence_address(licence)
    return section(
        "Licensing information",
        f"The release has the licence {inline(licence)}"
        + (f": <{address}>." if address else ".")
        + " Items may have licences of their own, which are not recorded.",
    )


def _creator(creator: Creator) -> str:
    parts = [creator.name, creator.affiliation]
    if creator.orcid:
        parts.append(f"https://orcid.org/{creator.orcid}")
    return ", ".join(inline(part) for part in parts if part.strip())


def citing(manifest: Manifest) -> str:
    """Return the section Citation information, with the creators."""
    return section(
        "Citation information",
        bullets(filter(None, map(_creator, manifest.creators)))
        or "No creators are named, so the collection stands in their place.",
        f"Please cite: {inline(manifest.cite_as)}" if manifest.cite_as.strip() else "",
        fence("bibtex", bibtex(manifest)),
        "`CITATION.cff` says the same to programs.",
    )


def provenance(manifest: Manifest) -> str:
    """Return the section on what wrote the files."""
    tools = [f"{inline(name)} {inline(version)}" for name, version in manifest.made_with.items()]
    return section(
        "How the files were made",
        f"{counted(len(tools), 'program')} wrote the files:" if tools else "",
        bullets(tools) or "What wrote the files is not recorded.",
    )
