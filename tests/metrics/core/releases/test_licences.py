from metrics.core.releases.licences import HUB_NAMES, licence_address


def test_the_hub_s_names_are_in_small_letters_and_without_blanks():
    assert {name for name in HUB_NAMES.values() if name != name.lower() or " " in name} == set()
    assert HUB_NAMES["CC-BY-4.0"] == "cc-by-4.0"
    assert HUB_NAMES["ODbL-1.0"] == "odbl"


def test_the_address_of_a_licence_is_that_of_spdx():
    assert licence_address("CC-BY-4.0") == "https://spdx.org/licenses/CC-BY-4.0.html"


def test_what_is_no_identifier_of_spdx_has_no_address():
    for text in ("", "LicenseRef-ours", "as you like", "a/../b", "<b>"):
        assert licence_address(text) == ""
