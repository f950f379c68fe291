"""People to cite: typed a line each, and stored as name, affiliation and ORCID."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.publication import creators
from annotate.core.publication.creators import creators_text, parse_creators

CARBERRY = "0000-0002-1825-0097"


def rows(text):
    people, faults = parse_creators(text)
    assert faults == []
    return [tuple(person.values()) for person in people]


def test_a_line_is_a_name_and_perhaps_an_affiliation_and_an_orcid():
    text = (
        f"Josiah Carberry; Brown University; https://orcid.org/{CARBERRY}\r\n"
        "\n"
        "  María  Ángeles\u00a0Ruiz ;  Universidad de Jaén\n"
        "NIST\n"
        "Grace Hopper; ; 0000-0001-5109-3700\n"
        "Ada Lovelace; 000000021694233x\n"
        "Alan Turing;;\n"
    )
    assert rows(text) == [
        ("Josiah Carberry", "Brown University", CARBERRY),
        ("María Ángeles Ruiz", "Universidad de Jaén", ""),
        ("NIST", "", ""),
        ("Grace Hopper", "", "0000-0001-5109-3700"),
        ("Ada Lovelace", "", "0000-0002-1694-233X"),
        ("Alan Turing", "", ""),
    ]
    assert parse_creators(" \n ") == ([], [])


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("; Brown University", "the name is missing; write “Name; affiliation; ORCID”."),
        ("A; B; C; D", "it has 4 parts between semicolons; write “Name; affiliation; ORCID”."),
        ("A; B; 12", "“12” is no ORCID"),
        ("A; B; 0000-0002-1825-0098", "the ORCID 0000-0002-1825-0098 is mistyped"),
        ("A; 0000-0002-1825-0098", "the ORCID 0000-0002-1825-0098 is mistyped"),
        ("x" * 201, "a name has at most 200 characters, an affiliation 300."),
        (f"A; {'x' * 301}", "a name has at most 200 characters, an affiliation 300."),
        ("A\x07; B", "it has a control character"),
        (f"B;; {CARBERRY}", "line 1 has this ORCID, too."),
    ],
)
def test_a_fault_names_its_line(line, fault):
    _, faults = parse_creators(f"Josiah;; {CARBERRY}\n\n{line}\nNIST")
    assert [text.startswith(f"Line 3: {fault}") for text in faults] == [True], faults


def test_every_line_at_fault_is_named():
    _, faults = parse_creators("A; B; C\nNIST\n; D")
    assert [text.partition(":")[0] for text in faults] == ["Line 1", "Line 3"]


def test_there_are_not_more_creators_than_a_citation_bears():
    most = "A\n" * creators.MAX_CREATORS
    assert len(rows(most)) == 200
    assert parse_creators(f"{most}A").faults == ["There are at most 200 creators, not 201."]


WORDS = st.text(
    st.characters(codec="utf-8", exclude_characters=";", exclude_categories=["Cc", "Cs", "Z"]),
    max_size=7,
)
ORCIDS = st.sampled_from(["", CARBERRY])


@given(st.lists(st.tuples(WORDS.filter(bool), WORDS, WORDS, ORCIDS), max_size=1))
def test_creators_are_read_again_as_they_are_shown(people):
    stored = [
        creators.StoredCreator(name=name, affiliation=f"{a} {b}".strip(), orcid=orcid)
        for name, a, b, orcid in people
    ]
    assert parse_creators(creators_text(stored)) == (stored, [])
