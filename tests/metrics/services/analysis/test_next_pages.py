"""Ways from an analysis to a page on which somebody acts on it: words on them stand beside them."""

import re

import pytest

from annotate.models import Role
from annotate.services.supervision import archiving
from metrics.services.analysis.register import ANALYSES
from pooling.models import Run
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.pool.pooled_study import pooled_study
from tests.metrics.services.analysis.questions import answer_of, compute_kept
from tests.metrics.services.analysis.systems.score_study import score_study

pytestmark = pytest.mark.django_db
PLANS = [analysis.name for analysis in ANALYSES.values() if analysis.chapter.slug == "planner"]
HIDDEN = "A pool is of runs that everybody sees: hidden ones are not taken to its form."
OF_BUTTONS = re.compile(r"the button|\bforms?\b")


def words_of(client, collection, name: str, person, **parameters) -> str:
    """The words of the page of an analysis that somebody sees, without its tags."""
    client.force_login(person)
    chapter = ANALYSES[name].chapter.slug
    address = f"/c/{collection.slug}/results/analysis/{chapter}/{name}/"
    page = client.get(address, parameters).content.decode().split("<main", 1)[1]
    return re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", page, flags=re.DOTALL)


@pytest.fixture
def study(media_root):
    return pooled_study()


def test_only_who_may_make_a_pool_reads_of_its_form_below_queries_to_deepen(study, client):
    compute_kept(study, "saturated-queries")
    result = answer_of(study, "saturated-queries").result
    assert result.next_notes and result.next_label
    for role, is_shown in ((Role.RESEARCHER, True), (Role.LEAD, False)):
        words = words_of(client, study, "saturated-queries", cast.member(study, role))
        assert (result.next_label in words) == is_shown
        assert bool(OF_BUTTONS.search(words)) == is_shown
        assert all((note in words) == is_shown for note in result.next_notes)
        assert "seconds a judgment" in words


def test_nobody_is_led_to_the_form_of_a_pool_in_an_archived_collection(study, client):
    researcher = cast.member(study, Role.RESEARCHER)
    compute_kept(study, "saturated-queries")
    result = answer_of(study, "saturated-queries").result
    archiving.archive_collection(collection=study, by=cast.member(study, Role.LEAD))
    words = words_of(client, study, "saturated-queries", researcher)
    assert "The collection is archived, so no pool is made of it." in words
    assert result.next_label not in words and not OF_BUTTONS.search(words)


def test_every_way_to_the_form_of_a_pool_is_closed_by_an_archive():
    pages = [analysis.next_page for analysis in ANALYSES.values() if analysis.next_page]
    assert {page.address for page in pages if page.begins_work} == {"pooling:pool-new"}
    assert all(page.begins_work for page in pages if page.address == "pooling:pool-new")


@pytest.mark.parametrize("name", PLANS)
def test_only_who_may_make_a_pool_reads_of_its_form_in_the_planner(client, name):
    study = score_study()
    hidden = studies.run(study, "iota", seed=20)
    runs = list(Run.objects.filter(direction="forward").order_by("pk"))
    for role, is_shown in ((Role.RESEARCHER, True), (Role.LEAD, False)):
        person = cast.member(study, role)
        Run.objects.filter(pk=hidden.pk).update(is_hidden=True, uploaded_by=person)
        compute_kept(study, name, run=[run.pk for run in runs], measure="RR", viewer=person)
        words = words_of(client, study, name, person, run=[run.pk for run in runs], measure="RR")
        assert ("Researchers of the collection have a button here that makes" in words) != is_shown
        assert (HIDDEN in words) == ("Pool a" in words) == is_shown
        assert bool(OF_BUTTONS.search(words)) == is_shown
        assert "of it. Left empty" in words


def test_without_hidden_runs_nothing_is_said_of_them():
    study = score_study()
    for name in PLANS:
        assert answer_of(study, name, measure="RR").result.next_notes == []


def test_what_leads_and_researchers_read_of_every_analysis_speaks_of_no_button():
    for analysis in ANALYSES.values():
        assert not re.search(r"button|pool forms?|form of a pool", analysis.definition)
