"""Links of templates name the parameters that the form behind their page reads."""

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from django import forms

from annotate.forms.review import LogForm
from metrics.forms.explorer import ExplorerForm
from pooling.forms.runs import PoolPairsForm
from tests.house.test_layers import text
from tests.house.test_page_words import TEMPLATES

PAGES: dict[str, type[forms.Form]] = {
    "annotate:review-log": LogForm,
    "metrics:explorer": ExplorerForm,
    "pooling:pool-pairs": PoolPairsForm,
}
VARIABLE = re.compile(r"""\{% url ['"]([\w:-]+)['"][^%]* as (\w+) %\}""")
LINK = re.compile(r"""href="\{(?:% url ['"]([\w:-]+)['"][^%]*%|\{ (\w+) \})\}\?([^"]*)""")
ADDED = re.compile(r"""(\w+)\|add:"\?([^"]*)\"""")
PARAMETER = re.compile(r"(?:^|&amp;)(\w+)=")


def link_parameters(source: str) -> Iterator[tuple[str, str]]:
    """The names of pages and of the parameters that links of a template give them."""
    pages = {variable: page for page, variable in VARIABLE.findall(source)}
    links = LINK.findall(source) + [("", *link) for link in ADDED.findall(source)]
    for page, variable, query in links:
        for name in PARAMETER.findall(query):
            yield page or pages.get(variable, ""), name


def test_links_give_each_page_what_its_form_reads() -> None:
    n_links = Counter[str]()
    faults = []
    for file in TEMPLATES:
        for page, name in link_parameters(text(file)):
            n_links[page] += 1
            if page in PAGES and name not in PAGES[page].base_fields:
                faults.append(f"{file.name}: {page} does not read {name!r}")
    assert not faults, "\n".join(faults)
    assert n_links.keys() >= PAGES.keys()


@pytest.mark.parametrize(
    "source",
    [
        """<a href="{% url 'metrics:explorer' slug %}?query={{ id }}">""",
        """{% url "metrics:explorer" slug as there %}<a href="{{ there }}?query=1">""",
        """<a href="{% url 'metrics:explorer' slug %}?{{ rest }}&amp;query=1">""",
        """{% url 'metrics:explorer' slug as there %}{% with url=there|add:"?query="|add:id %}""",
    ],
)
def test_a_parameter_is_seen_where_it_is_planted(source: str) -> None:
    assert [*link_parameters(source)] == [("metrics:explorer", "query")]
