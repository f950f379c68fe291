"""What people wrote, made safe to show."""

import re
from urllib.parse import unquote

import pytest

from annotate.markdown import clean_page, page_text, to_html

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<iframe src='https://elsewhere.example'></iframe>",
    "<object data='x'></object><embed src='x'>",
    "<form action='https://elsewhere.example'><input name=a><button>Go</button></form>",
    "<a href='javascript:alert(1)' onclick='alert(1)'>here</a>",
    "<a href='https://elsewhere.example'>here</a>",
    "<p style='background:url(https://elsewhere.example)' class=x id=y>words</p>",
    "<style>p{background:url(https://elsewhere.example)}</style>",
    "<link rel=stylesheet href=https://elsewhere.example><meta http-equiv=refresh content='0;url=https://elsewhere.example'>",
    "<base href=https://elsewhere.example><video src=https://elsewhere.example></video>",
    "<body onload=alert(1) background=https://elsewhere.example>words",
    "<!--><script>alert(1)</script-->",
    "<noscript><p title='</noscript><script>alert(1)</script>'>",
    "<template><script>alert(1)</script></template>",
]


@pytest.mark.parametrize("html", HOSTILE)
def test_nothing_of_a_page_loads_runs_or_sends(html):
    clean = clean_page(f"<h1>Before</h1>{html}")
    assert clean.startswith("<h1>Before</h1>")
    for trace in (
        "script",
        "alert",
        "elsewhere",
        "style=",
        "on",
        "href",
        "src",
        "<form",
        "<input",
        "<svg",
        "<math",
    ):
        assert trace not in clean.removeprefix("<h1>Before</h1>").lower().replace("button", ""), (
            clean
        )


def test_words_headings_lists_and_tables_of_a_page_stay():
    page = '<h2>Birds</h2><ul><li>a &amp; b</li></ul><table><tr><td colspan="2">x</td></tr></table>'
    assert clean_page(page) == page.replace("<tr>", "<tbody><tr>").replace("</tr>", "</tr></tbody>")
    assert page_text(page) == "Birds a & b x"
    assert page_text("<p>wo<b>r</b>d<br>next</p><script>x</script>") == "word next"
    assert page_text("<ul><li>x<li>y</ul><b>bo</b>ld") == "x y bold"


def test_headings_of_guidelines_stand_under_the_title_of_their_page():
    tags = re.sub(' id="[^"]+"', "", to_html("# Birds\n## Wings\n###### Tips"))
    assert tags == "<h2>Birds</h2>\n<h3>Wings</h3>\n<h6>Tips</h6>\n"


def test_links_within_guidelines_lead_to_their_headings_and_nowhere_else():
    html = to_html(
        "# Big birds\n# Größe\n[up](#big-birds) [size](#größe) [gone](#wings) [out](https://example.org/#a)"
    )
    ids = re.findall('id="([^"]+)"', html)
    assert ids == ["g-big-birds", "g-größe"]
    assert [unquote(href) for href in re.findall('href="([^"]+)"', html)] == [
        "#g-big-birds",
        "#g-größe",
        "https://example.org/#a",
    ]
    assert "gone" in html


def test_guidelines_hold_no_markup_of_their_own():
    assert "<script>" not in to_html("<script>x</script> **bold** [x](javascript:alert(1))")
