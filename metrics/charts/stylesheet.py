"""Colours and fonts as static/css/tokens.css has them, for pictures that are drawn on the server.

The sheet is the one truth of both; a browser resolves it by itself.
"""

import base64
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

SHEET = Path(__file__).resolve().parents[2] / "static" / "css" / "tokens.css"


class FontFace(NamedTuple):
    """A file of the page's font.

    weight, unicode_range : as in the sheet: "100 900", "U+0000-00FF, U+0131"
    """

    path: Path
    family: str
    weight: str
    unicode_range: str

    def has_any(self, text: str) -> bool:
        """True if it has a letter of the text."""
        for part in self.unicode_range.split(","):
            first, _, last = part.strip().removeprefix("U+").partition("-")
            low, high = int(first, 16), int(last or first, 16)
            if any(low <= ord(letter) <= high for letter in text):
                return True
        return False

    def rule(self) -> str:
        """The rule of a style sheet that holds the file itself."""
        data = base64.b64encode(self.path.read_bytes()).decode()
        return (
            f"@font-face{{font-family:{self.family};"
            f'src:url(data:font/woff2;base64,{data}) format("woff2");'
            f"font-weight:{self.weight};unicode-range:{self.unicode_range}}}"
        )


@cache
def light_colours() -> dict[str, str]:
    """Every colour that has six digits, by its name: {"blue": "#1a3aa8"}, in its light variant.

    They stand in the first rule `:root`; the second one has light and dark ones.
    """
    rule = SHEET.read_text().split(":root {")[1].split("}")[0]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", rule))


@cache
def font_faces() -> list[FontFace]:
    """The files of the page's font, in the order of the sheet."""
    faces = []
    for rule in re.findall(r"@font-face \{(.*?)\}", SHEET.read_text(), re.DOTALL):
        value = dict(re.findall(r"([\w-]+): ([^;]+);", rule))
        path = value["src"].split('"')[1]
        unicode_range = " ".join(value["unicode-range"].split())
        family = value["font-family"].strip('"')
        faces.append(FontFace(SHEET.parent / path, family, value["font-weight"], unicode_range))
    return faces
