"""The page of comments: for leads alone, with all filters in its address, and as a file."""

import pytest

from annotate.models import HandOut, Report, Role
from annotate.services.background import kept
from annotate.services.people import accounts
from metrics.forms.comment_filters import CommentFilters
from metrics.services.comments.kept_counts import inquiry_of
from tests import cast
from tests.metrics.services.comments.test_comments import SAID, commented_study
from tests.pages import text_of
from tests.works import value_requests

pytestmark = pytest.mark.django_db
PAGE = "/c/study/results/comments/"


@pytest.fixture
def study(client):
    study = commented_study()
    client.force_login(cast.member(study, Role.LEAD))
    return study


def test_labels_are_listed_with_words_reasons_and_pair(client, study):
    text = text_of(client.get(PAGE))
    assert "4 comments and 4 reasons on 5 labels; all of them shown here, newest first." in text
    for _, reasons, comment in SAID:
        assert all(f'<span class="badge">{reason}</span>' in text for reason in reasons)
        assert comment in text
    judgment = study.judgments.first()
    pair = judgment.pair
    assert f'href="/c/study/judging/pairs/{pair.pk}/"' in text
    assert f"text of {pair.query.external_id}" in text
    assert f"text of {pair.document.external_id}" in text
    assert "3 labels with reasons, 2 with a comment" in text and "67 %" in text
    assert 'href="?level=1&amp;reason=does+not+match%2Fcolour"' in text


def test_people_are_pseudonyms_until_a_lead_asks_for_names(client, study):
    person = study.annotators.get()
    page = text_of(client.get(PAGE))
    assert person.pseudonym in page and person.user.username not in page
    assert person.user.username in text_of(client.get(PAGE, {"names": "1"}))
    # the filters keep the names
    assert '<input type="hidden" name="names" value="1">' in text_of(
        client.get(PAGE, {"names": "1"})
    )


def test_searched_words_are_marked_and_nothing_is_markup(client, study):
    comment = study.judgments.first().comment
    type(comment).objects.filter(pk=comment.pk).update(text="<b>Hund</b> & hunter")
    page = client.get(PAGE, {"q": "HUN"}).content.decode()
    assert "&lt;b&gt;</span><mark>Hun</mark><span>d&lt;/b&gt; &amp; </span><mark>hun</mark>" in page


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ANNOTATOR])
def test_others_find_nothing(client, study, role):
    client.force_login(cast.member(study, role))
    assert client.get(PAGE).status_code == client.get(f"{PAGE}table.csv").status_code == 404


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("colour=red", "“colour” is no filter here; there are: q, kind, level, reason, run,"),
        ("level=9", "Level: “9” is none of: 0, 1, 2."),
        ("level=1&level=2", "“level” stands twice in the address; say it once."),
        ("kind=some", "With: “some” is none of: any, comment, reasons, both."),
        ("state=old", "Labels: “old” is none of: counts, all."),
        ("reason=blue", "Reason: “blue” is none of: too general, does not match/colour,"),
        ("purpose=fun", "Made for: “fun” is none of: label, gold,"),
        ("query=q99", "Id of the query: The collection holds no query with the id “q99”."),
        ("query=d0", "Id of the query: The collection holds no query with the id “d0”."),
        ("depth=7", "Ranks of the run: “7” is none of: 5, 10, 20, 50, 100."),
        ("run=0", "In the top of the run: “0” is none of: "),
        ("before=x", "Before: Enter a whole number."),
        ("q=a+b+c+d+e+f+g+h+i", "Words of the comment: There are 9 words; take 8 at most."),
    ],
)
def test_unknown_filters_are_refused_on_the_page_and_as_a_file(client, study, address, message):
    page, file = client.get(f"{PAGE}?{address}"), client.get(f"{PAGE}table.csv?{address}")
    assert page.status_code == file.status_code == 422
    assert message in text_of(page).replace("&quot;", '"')
    assert message in file.content.decode()
    assert "newest first" not in text_of(page)


def test_hidden_runs_of_others_are_neither_offered_nor_taken(client, study):
    run = study.runs.get(name="beta")
    assert ">beta</option>" in text_of(client.get(PAGE))
    type(run).objects.filter(pk=run.pk).update(is_hidden=True)
    page = client.get(PAGE, {"run": run.pk})
    assert page.status_code == 422 and "beta" not in text_of(page)
    assert client.get(PAGE, {"run": study.runs.get(name="alpha").pk}).status_code == 200


def test_a_reason_that_no_level_offers_any_more_can_still_be_chosen(client, study):
    study.levels.update(reasons=[])
    page = text_of(client.get(PAGE, {"reason": "too general"}))
    assert '<option value="too general" selected>too general</option>' in page
    assert "3 reasons on 2 labels" in page
    # those that are shown can be chosen next
    assert '<option value="does not match/colour">' in page


def test_pages_and_file_keep_the_filters(client, study, monkeypatch):
    monkeypatch.setattr("metrics.services.comments.comments.PAGE_SIZE", 1)
    page = client.get(PAGE, {"level": "1", "q": ""})
    older = page.context["page"].older
    assert f'href="?level=1&amp;q=&amp;before={older}"' in text_of(page)
    assert f'href="{PAGE}table.csv?level=1"' in text_of(page)
    page = text_of(client.get(PAGE, {"level": "1", "before": older}))
    assert 'href="?level=1"> Newest' in page or 'href="?level=1">Newest' in page
    assert f'href="{PAGE}table.csv?level=1"' in page
    file = client.get(f"{PAGE}table.csv", {"level": "1"})
    assert file["Content-Disposition"] == 'attachment; filename="study-comments.csv"'
    assert len(b"".join(file.streaming_content).splitlines()) == 1 + 3


def test_labels_are_listed_while_they_are_counted(client, study, monkeypatch):
    monkeypatch.setattr("metrics.services.comments.comments.PAGE_SIZE", 2)
    state = f"{PAGE}state/?kind=any&names="
    with value_requests() as requests:
        page = text_of(client.get(PAGE, {"kind": "any", "names": ""}))
        assert text_of(client.get(state)).count("every 2s") == 1
    assert "Counting labels and reasons" in page and "Reasons by level" not in page
    assert "2 labels shown here, newest first; all of them are being counted." in page
    assert f'hx-get="{state.replace("&", "&amp;")}"' in page
    assert page.count("/judging/pairs/") == 2
    # of all who look one has them counted
    (inquiry,) = requests
    kept.compute(inquiry=inquiry)
    for address in (state, PAGE):
        text = text_of(client.get(address))
        assert "4 comments and 4 reasons on 5 labels as of <time" in text
        assert "</time>; 2 of them shown here, newest first." in text
        assert "Reasons by level" in text and "every 2s" not in text
        assert "have changed" not in text
    # links keep to the filters of the page
    assert 'href="?kind=any&amp;names=&amp;level=1&amp;reason=' in text_of(client.get(state))


def test_old_counts_stand_with_their_age_until_newer_ones_follow(client, study, monkeypatch):
    monkeypatch.setattr("metrics.services.comments.comments.PAGE_SIZE", 2)
    inquiry = inquiry_of(collection=study, filters=CommentFilters())
    kept.compute(inquiry=inquiry)
    accounts.erase_person(user=study.annotators.get().user)
    text = text_of(client.get(PAGE))
    assert "4 comments and 4 reasons on 5 labels as of <time" in text
    assert "</time>; 2 shown here, newest first." in text
    assert "Labels or comments may have changed" in text
    kept.compute(inquiry=inquiry)
    text = text_of(client.get(PAGE))
    assert "0 comments and 4 reasons on 3 labels as of <time" in text
    assert "have changed" not in text


def test_the_state_of_filters_that_there_are_not_makes_the_page_come_again(client, study):
    answer = client.get(f"{PAGE}state/", {"level": "9"})
    assert answer["HX-Refresh"] == "true"


def test_older_labels_of_a_run_are_offered_where_the_search_ended(client, study, monkeypatch):
    monkeypatch.setattr("metrics.services.comments.matching.STEPS", (1, 1))
    run = study.runs.get(name="alpha")
    run.rankings.update(targets=[], scores=[])
    text = text_of(client.get(PAGE, {"run": run.pk}))
    assert "For this page 2 labels were looked up in the ranking of the run" in text
    assert "None of the labels" in text and 'rel="next"' in text


def test_where_nothing_is_the_page_says_what_next(client, study):
    page = text_of(client.get(PAGE, {"q": "zebra"}))
    assert "No label meets all of these filters." in page and 'href="?">Clear the filters' in page
    other = cast.collection("empty", n_queries=1, n_documents=1)
    client.force_login(cast.member(other, Role.LEAD))
    page = text_of(client.get("/c/empty/results/comments/"))
    assert "No comments yet" in page and "No level asks for reasons" in page
    assert 'href="/c/empty/settings/guidelines/"' in page


def test_notes_of_reports_are_counted_and_stand_elsewhere(client, study):
    hand_out = HandOut.objects.filter(batch__collection=study).order_by("position").last()
    Report.objects.create(
        collection=study,
        pair=hand_out.seat.pair,
        hand_out=hand_out,
        annotator=hand_out.batch.annotator,
        submission_id=hand_out.token,
        kind="cannot_judge",
        note="too dark",
    )
    page = text_of(client.get(PAGE))
    assert "1 note of people who could not judge a pair" in page and "too dark" not in page


def test_leads_find_the_page_from_the_analyses(client, study):
    address = f'href="{PAGE}"'
    assert address in text_of(client.get("/c/study/results/analysis/"))
    client.force_login(cast.member(study, Role.RESEARCHER))
    assert address not in text_of(client.get("/c/study/results/analysis/"))
