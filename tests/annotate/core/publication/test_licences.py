"""Identifiers of licences: of the list in their own letters, others as they were typed."""

import pytest

from annotate.core.publication import licences
from annotate.core.publication.licences import parse_licence


def test_licences_of_the_list_are_written_as_spdx_does():
    assert {identifier: parse_licence(identifier.lower()) for identifier in licences.LICENCES} == {
        identifier: identifier for identifier in licences.LICENCES
    }
    assert licences.DEFAULT_LICENCE in licences.LICENCES


@pytest.mark.parametrize(
    "text", ["CC-BY-3.0", "EUPL-1.2", "GPL-2.0+", "LicenseRef-Our-Lab.1", "x" * 60]
)
def test_other_identifiers_are_kept_as_they_are(text):
    assert parse_licence(f" {text} ") == text


@pytest.mark.parametrize(
    "text", ["", " ", "CC BY 4.0", "MIT OR Apache-2.0", "CC-BY-4.0\nMIT", "ÉTALAB-2.0", "x" * 61]
)
def test_what_cannot_be_an_identifier_is_refused(text):
    with pytest.raises(ValueError, match=r"such as CC-BY-4\.0"):
        parse_licence(text)
