"""What is read from the style sheet: the light colours, and the files of the page's font."""

from metrics.charts.stylesheet import font_faces, light_colours


def test_colours_are_the_light_ones():
    assert light_colours()["blue"] == "#1a3aa8" and light_colours()["surface"] == "#ffffff"
    assert "s1" not in light_colours() and "shade" not in light_colours()


def test_a_face_knows_its_letters_and_holds_its_file():
    latin, extended, greek = font_faces()
    assert (latin.family, latin.weight) == ("Inter", "100 900")
    for face, letters in ((latin, "aé€"), (extended, "Ł"), (greek, "Όμ")):
        assert [face.has_any(letter) for letter in letters] == [True] * len(letters)
    assert not latin.has_any("Łμ") and not greek.has_any("abc") and not latin.has_any("")
    # "wOF2", the first four bytes of such a file
    assert "url(data:font/woff2;base64,d09G" in greek.rule()
    assert len(greek.rule()) > greek.path.stat().st_size
