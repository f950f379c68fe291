"""Names that people could choose to break a document, for hypothesis."""

from hypothesis import strategies as st

MARKS = "|`<>#-=+*_[]()!\\&~$:.,;1 aZé{}%@\"'^/\n\r\t\x00\x1b\x85\u2028\ufeff\U0001f600"
WORST_NAMES = (
    "---",
    "a\n---\nlicense: mit",
    "# Title",
    "| a | b |\n| --- | --- |\n| c | d |",
    "a \\| b",
    "a\\",
    "``` a\n```",
    "<script>alert(1)</script>",
    "<!-- a",
    "[a](javascript:b)",
    "![a](b)",
    "&lt;b&gt; &amp; &#124;",
    "1. a",
    "*a* _b_ ~~c~~ **d**",
    "null",
    "{a: b}",
    "- a",
    "a: b # c",
    "a \"b\" 'c'",
    "a #",
    "# a",
    "+ a",
    "+",
    "=",
    "&amp;",
    "<b>a</b>",
    "<https://example.org>",
)
HOSTILE_NAMES = st.one_of(
    st.text(alphabet=MARKS, min_size=1, max_size=30),
    st.text(min_size=1, max_size=30),
    st.sampled_from(WORST_NAMES),
)
