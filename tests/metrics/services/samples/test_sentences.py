"""The warning that samples did not draw all pairs."""

import pytest
from django.template import Context, Template

from metrics.services.samples.notices import sample_sentence


@pytest.mark.parametrize(
    ("samples", "sentence"),
    [
        (
            ["pool “a”"],
            "Pool “a” is a sample: these scores count what it did not draw as irrelevant.",
        ),
        (
            ["pool “a”", "reference “b”"],
            "Pool “a”, reference “b” are samples: these scores count what they did not draw as "
            "irrelevant.",
        ),
    ],
)
def test_samples_are_named_where_values_count_them(samples, sentence):
    assert sample_sentence(samples, "these scores") == sentence
    template = Template('{% load notices %}{{ samples|sample_sentence:"these scores" }}')
    assert template.render(Context({"samples": samples})) == sentence
