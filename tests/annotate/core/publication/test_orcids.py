"""ORCID in each of their spellings, and what is none or mistyped."""

import pytest

from annotate.core.publication.orcids import check_character, parse_orcid

# of ORCID's page "Structure of the ORCID Identifier"; the last one of Wikipedia's article
PUBLISHED = [
    "0000-0002-1825-0097",
    "0000-0001-5109-3700",
    "0000-0002-1694-233X",
    "0000-0002-9079-593X",
]


@pytest.mark.parametrize("orcid", PUBLISHED)
def test_published_orcid_are_read_bare_and_as_addresses(orcid):
    spellings = [
        orcid,
        f" {orcid} ",
        orcid.lower(),
        orcid.replace("-", ""),
        f"https://orcid.org/{orcid}",
        f"http://orcid.org/{orcid}/",
        f"https://www.orcid.org/{orcid}",
        f"orcid.org/{orcid}",
    ]
    assert [parse_orcid(spelling) for spelling in spellings] == [orcid] * len(spellings)


@pytest.mark.parametrize("orcid", PUBLISHED)
def test_a_wrong_digit_and_two_that_changed_places_are_noticed(orcid):
    digits = orcid.replace("-", "")
    wrong = [
        digits[:i] + str((int(digits[i]) + by) % 10) + digits[i + 1 :]
        for i in range(15)
        for by in range(1, 10)
    ]
    wrong += [
        digits[:i] + digits[i + 1] + digits[i] + digits[i + 2 :]
        for i in range(14)
        if digits[i] != digits[i + 1]
    ]
    wrong += [digits[:15] + last for last in "0123456789X" if last != digits[15]]
    for text in wrong:
        with pytest.raises(ValueError, match="mistyped"):
            parse_orcid(text)


def test_the_check_character_is_a_digit_or_x():
    assert check_character("000000021825009") == "7"
    assert check_character("000000021694233") == "X"
    assert check_character("000000010000000") == "9"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ada",
        "0000-0002-1825-009",
        "0000-0002-1825-00970",
        "X000-0002-1825-0097",
        "https://example.org/0000-0002-1825-0097",
        "https://orcid.org/",
        "\u0660000-0002-1825-0097",
    ],
)
def test_what_is_no_orcid_is_refused_with_an_example(text):
    with pytest.raises(ValueError, match="no ORCID, which looks like 0000-0002-1825-0097"):
        parse_orcid(text)
