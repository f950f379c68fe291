"""CITATION.cff is checked by the validator of CFF (cffconvert), with the schema of 1.2.0."""

import re
from dataclasses import replace

import pytest
import yaml
from cffconvert import Citation
from hypothesis import given

from metrics.core.releases.citation import bibtex, citation_cff, citation_text
from metrics.core.releases.licences import HUB_NAMES
from metrics.core.releases.manifest import Creator, Manifest
from tests.metrics.core.releases.samples.hostile_names import HOSTILE_NAMES
from tests.metrics.core.releases.samples.manifests import (
    bare_manifest,
    example_manifest,
    renamed_manifest,
)


def valid_fields(manifest: Manifest) -> dict:
    """Fields of the citation of a manifest, which CFF's validator accepts."""
    text = citation_cff(manifest)
    Citation(text).validate()
    return yaml.safe_load(text)


def of_creators(*creators: Creator) -> Manifest:
    return replace(example_manifest(), creators=creators)


def test_the_citation_of_a_release_is_valid_and_says_it_all():
    assert valid_fields(example_manifest()) == {
        "cff-version": "1.2.0",
        "message": "If you use this dataset, please cite it as: Byron and Example Lab (2026). "
        "Captions and images, relabelled.",
        "type": "dataset",
        "title": "Captions and images, relabelled",
        "version": "1.2.0",
        "date-released": "2026-11-30",
        "authors": [
            {"name": "Ada Byron", "orcid": "https://orcid.org/0000-0002-1825-0097"},
            {"name": "Example Lab"},
        ],
        "abstract": "Captions of photographs, and the photographs that they may describe.",
        "license": "CC-BY-4.0",
    }


def test_without_creators_the_collection_is_the_author_and_without_licence_none_is_named():
    fields = valid_fields(bare_manifest())
    assert fields["authors"] == [{"name": "Captions and images"}]
    assert not {"license", "license-url"} & fields.keys()
    assert fields["message"] == (
        "If you use this dataset, please cite it with the data of this file."
    )


def test_a_person_s_name_is_split_only_where_she_did():
    orcid = "0000-0002-1825-0097"
    split = Creator("Byron, Ada", "University of Example", orcid)
    assert valid_fields(of_creators(split))["authors"] == [
        {
            "family-names": "Byron",
            "given-names": "Ada",
            "affiliation": "University of Example",
            "orcid": f"https://orcid.org/{orcid}",
        }
    ]
    for creator in (
        Creator("University of Example, Faculty of Arts"),
        Creator("Ludwig van Beethoven", "Vienna"),
        Creator("Byron, Ada, Countess", "London"),
    ):
        assert valid_fields(of_creators(creator))["authors"] == [{"name": creator.name}]


def test_the_same_creator_stands_once_and_a_blank_one_not_at_all():
    creators = (Creator("Ada"), Creator(" "), Creator(" Ada "))
    assert valid_fields(of_creators(*creators))["authors"] == [{"name": "Ada"}]


def test_an_orcid_of_another_form_is_left_out():
    creator = Creator("Ada", orcid="https://orcid.org/0000-0002-1825-0097")
    assert valid_fields(of_creators(creator))["authors"] == [{"name": "Ada"}]


@pytest.mark.parametrize("licence", sorted(HUB_NAMES))
def test_every_licence_of_the_table_is_valid(licence):
    fields = valid_fields(replace(example_manifest(), licence=licence))
    assert fields.get("license", licence) == licence


def test_a_licence_that_cff_does_not_list_stands_as_its_address():
    fields = valid_fields(replace(example_manifest(), licence="CDLA-Permissive-2.0"))
    assert fields["license-url"] == "https://spdx.org/licenses/CDLA-Permissive-2.0.html"
    assert "license" not in fields
    own = valid_fields(replace(example_manifest(), licence="LicenseRef-ours"))
    assert not {"license", "license-url"} & own.keys()


@given(name=HOSTILE_NAMES)
def test_no_name_makes_the_citation_invalid(name):
    valid_fields(renamed_manifest(name))


def test_bibtex_of_a_release():
    assert bibtex(example_manifest()) == (
        "@misc{captions-1.2.0,\n"
        "  author = {{Ada Byron} and {Example Lab}},\n"
        "  title = {{Captions and images, relabelled}},\n"
        "  year = {2026},\n"
        "  month = {11},\n"
        "  note = {Dataset, version 1.2.0},\n"
        "}\n"
    )


def test_bibtex_has_a_person_s_family_first_and_the_collection_where_nobody_is_named():
    person = of_creators(Creator("Byron, Ada", "London"), Creator("Black and White"))
    assert "author = {{Byron}, {Ada} and {Black and White}}," in bibtex(person)
    assert "author = {{Captions and images}}," in bibtex(bare_manifest())


def test_bibtex_writes_marks_of_latex_as_text():
    entry = bibtex(replace(example_manifest(), title=r"50 % of {a_b} & $c#d ~ ^ \e"))
    assert (
        r"  title = {{50 \% of \textbraceleft{}a\_b\textbraceright{} \& \$c\#d \textasciitilde{} "
        r"\textasciicircum{} \textbackslash{}e}}," in entry
    )


@given(name=HOSTILE_NAMES)
def test_no_name_breaks_the_entry(name):
    entry = bibtex(renamed_manifest(name))
    lines = entry.splitlines()
    assert [line.split(" = ")[0] for line in lines[1:-1]] == [
        "  author",
        "  title",
        "  year",
        "  month",
        "  note",
    ]
    for line in lines[1:-1]:  # BibTeX counts braces, whatever stands before them
        value = line.split(" = ", 1)[1].removesuffix(",")
        depths = [value[:end].count("{") - value[:end].count("}") for end in range(1, len(value))]
        assert min(depths) > 0
        assert value.count("{") == value.count("}")
    assert not re.search(r"(?<!\\)[%&$#]", "".join(lines[1:-1]))


def test_the_citation_in_words_names_creators_version_and_address():
    address = "https://judge.example.org/releases/captions/1.2.0/"
    manifest = replace(example_manifest(), cite_as="")
    assert citation_text(manifest, address=address) == (
        "Ada Byron and Example Lab (2026). Captions and images, relabelled, version 1.2.0 "
        f"[Data set]. {address}"
    )
    assert citation_text(replace(manifest, creators=()), address=address) == (
        f"Captions and images, relabelled, version 1.2.0 (2026) [Data set]. {address}"
    )
    assert citation_text(example_manifest(), address=address) == (
        f"Byron and Example Lab (2026). Captions and images, relabelled. {address}"
    )


def test_bibtex_has_the_address_where_there_is_one():
    assert "url" not in bibtex(example_manifest())
    assert "  url = {https://x.example/}," in bibtex(
        example_manifest(), address="https://x.example/"
    )
