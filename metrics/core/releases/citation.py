"""The citation of a release: CITATION.cff for programs, BibTeX for papers.

CITATION.cff 1.2.0: https://github.com/citation-file-format/citation-file-format (schema.json).
"""

import re

from annotate.core.phrases import enumeration
from metrics.core.releases.licences import HUB_NAMES, NOT_IN_CFF, licence_address
from metrics.core.releases.manifest import Creator, Manifest
from metrics.core.releases.plain_text import one_line
from metrics.core.releases.yaml_text import Value, yaml_text

_ORCID = re.compile("[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]")
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{mark: f"\\{mark}" for mark in "%&$#_"},
}


def citation_cff(manifest: Manifest) -> str:
    """Return the CITATION.cff of a release.

    A creator is one name, and nobody but its bearer knows which part of it is the family's: it
    stands as the `name` of an entity, which CFF prints unchanged. "Byron, Ada" with an ORCID or an
    affiliation is a person, whose family name comes first. CFF knows no affiliation of entities,
    so that of other creators stands in the data card alone. Without creators the collection is
    the author. CFF takes licences of its own list; for other SPDX identifiers the address of the
    text stands in `license-url`, and without a licence nothing does. The words of `cite_as` go
    into `message`, the one field for readers.
    """
    cite_as = one_line(manifest.cite_as)
    fields: dict[str, Value] = {
        "cff-version": "1.2.0",
        "message": "If you use this dataset, please cite it"
        + (f" as: {cite_as}" if cite_as else " with the data of this file."),
        "type": "dataset",
        "title": _title(manifest),
        "version": manifest.version,
        "date-released": manifest.released_on.isoformat(),
        "authors": _authors(manifest),
    }
    if description := one_line(manifest.collection.description):
        fields["abstract"] = description
    licence = manifest.licence.strip()
    if licence in HUB_NAMES.keys() - NOT_IN_CFF:
        fields["license"] = licence
    elif address := licence_address(licence):
        fields["license-url"] = address
    return yaml_text(fields)


def bibtex(manifest: Manifest, *, address: str = "") -> str:
    """Return the entry of a release for BibTeX and BibLaTeX, its key made of its short name.

    Names stand in braces of their own, so that BibTeX takes none apart.
    address : of its public page, if it has one: no file of a release tells it
    """
    authors = [
        ", ".join(f"{{{_latex(part)}}}" for part in name_parts(creator))
        for creator in manifest.creators
        if one_line(creator.name)
    ]
    slug = re.sub(r"[^a-z0-9-]", "", manifest.collection.slug.lower()) or "collection"
    version = re.sub(r"[^A-Za-z0-9.-]", "", manifest.version)
    fields = {
        "author": " and ".join(authors) or f"{{{_latex(_collection(manifest))}}}",
        "title": f"{{{_latex(_title(manifest))}}}",
        "year": str(manifest.released_on.year),
        "month": str(manifest.released_on.month),
        "note": f"Dataset, version {_latex(one_line(manifest.version))}",
        **({"url": address} if address else {}),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@misc{{{slug}-{version},", *lines, "}"]) + "\n"


def citation_text(manifest: Manifest, *, address: str) -> str:
    """Return the citation of a release in words: those of its creators, or composed ones."""
    if cite_as := one_line(manifest.cite_as):
        return f"{cite_as} {address}"
    names = [name for creator in manifest.creators if (name := one_line(creator.name))]
    title, year = (
        f"{_title(manifest)}, version {one_line(manifest.version)}",
        manifest.released_on.year,
    )
    work = f"{enumeration(names)} ({year}). {title}" if names else f"{title} ({year})"
    return f"{work} [Data set]. {address}"


def name_parts(creator: Creator) -> list[str]:
    """Return a creator's family name and given names, or the whole name where nobody knows them.

    They are known of a person, who has an ORCID or an affiliation, whose name has one comma.
    """
    parts = [part.strip() for part in one_line(creator.name).split(",")]
    is_person = bool(_ORCID.fullmatch(creator.orcid) or one_line(creator.affiliation))
    return parts if is_person and len(parts) == 2 and all(parts) else [one_line(creator.name)]


def _authors(manifest: Manifest) -> list[Value]:
    authors: list[Value] = []
    for creator in manifest.creators:
        author = _author(creator)
        if one_line(creator.name) and author not in authors:  # CFF allows none twice
            authors.append(author)
    return authors or [{"name": _collection(manifest)}]


def _author(creator: Creator) -> dict[str, Value]:
    family, *first_names = name_parts(creator)
    author: dict[str, Value] = {"name": family}
    if first_names:
        author = {"family-names": family, "given-names": first_names[0]}
        if affiliation := one_line(creator.affiliation):
            author["affiliation"] = affiliation
    if _ORCID.fullmatch(creator.orcid):
        author["orcid"] = f"https://orcid.org/{creator.orcid}"
    return author


def _collection(manifest: Manifest) -> str:
    return one_line(manifest.collection.name) or manifest.collection.slug


def _title(manifest: Manifest) -> str:
    return one_line(manifest.title) or _collection(manifest)


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)
