"""The section Marks of agreement of the settings: two numbers in order."""

import pytest

from tests.annotate.views.browsing import page, send
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def test_a_lead_sees_the_usual_marks_with_their_source_and_sets_others(client, collection, lead):
    text = page(client, "settings", collection.slug)
    assert 'name="tentative" value="0.667"' in text and 'name="firm" value="0.8"' in text
    assert "Krippendorff 2004" in text
    send(client, "alpha-marks-change", collection.slug, tentative="0.7004", firm="1")
    collection.refresh_from_db()
    assert collection.alpha_marks == (0.7, 1)
    assert "Saved: alpha is now held to 0.7 and 1." in page(client, "settings", collection.slug)


@pytest.mark.parametrize(
    ("tentative", "firm", "words"),
    [
        ("0", "0.8", "must be above 0 and below 1"),
        ("0.0001", "0.8", "must be above 0 and below 1"),
        ("1", "1", "must be above 0 and below 1"),
        ("0.8", "0.8", "must be above the tentative one"),
        ("0.8", "0.8004", "must be above the tentative one"),
        ("0.6", "1.001", "Alpha is 1 at most"),
        ("nan", "0.8", "Enter a number"),
        ("0.6", "inf", "Enter a number"),
        ("", "0.8", "required"),
    ],
)
def test_marks_out_of_order_are_refused_at_their_field(
    client, collection, lead, tentative, firm, words
):
    answer = send(
        client, "alpha-marks-change", collection.slug, status=422, tentative=tentative, firm=firm
    )
    assert words in text_of(answer) and "field-error" in answer.content.decode()
    collection.refresh_from_db()
    assert collection.alpha_marks == (0.667, 0.8)
