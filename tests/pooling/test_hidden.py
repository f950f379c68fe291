"""A hidden run leaves no trace on pages, in downloads or answers that others get."""

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from annotate.models import ApiToken, Role
from annotate.services import seating
from metrics.services.downloads import lines
from metrics.services.leaderboard.choices.parameters import read_choices
from metrics.services.numbers import refresh
from tests import cast
from tests.addresses.canaries import Crawler
from tests.metrics.services.leaderboard import boards

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
MARKS = ("zqname", "zqsystem", "zqteam", "zqpaper", "zqtag", "zqwords", "zqfile", "5eaf00d5")


def hidden_run(campaign, owner):
    queries, documents = (
        list(campaign.collection.items.filter(side=side).values_list("pk", flat=True))
        for side in ("query", "document")
    )
    scores = [-1.0 * n for n in range(len(documents))]
    run = cast.run(
        campaign.collection,
        "zqname",
        dict.fromkeys(queries, (documents[::-1], scores)),
        system="zqsystem",
        team="zqteam",
        paper="https://zqpaper.example",
        tags=["zqtag"],
        description="zqwords",
        file_name="zqfile",
        file="",
        sha256="5eaf00d5" * 8,
        uploaded_by=owner,
        is_hidden=True,
    )
    seating.note_changes(collection_id=campaign.collection.pk, pair_ids=[None])
    refresh.refresh(collection=campaign.collection)
    assert run.scores.exists()
    return run


def all_that(person, campaign, run):
    """Every page and file this person can reach, and the API's answers."""
    client = Client()
    client.force_login(person)
    crawler = Crawler(client)
    crawler.follow(reverse("annotate:home"))
    for name in ("run", "run-state", "run-edit"):
        crawler.get(reverse(f"pooling:{name}", args=[campaign.collection.slug, run.pk]))
    scores = lines.scores_per_query(collection=campaign.collection, viewer=person)
    crawler.keep("the file of scores", HttpResponse("".join(scores)))
    headers = cast.bearer(person, *ApiToken.Scope)
    choices = read_choices(collection=campaign.collection, viewer=person, parameters={})
    boards.compute(collection=campaign.collection, spec=choices.spec)
    pair = campaign.pool.pool_pairs.earliest("pk").pair_id
    run_paths = ("runs/", "runs/?is_hidden=true", f"runs/{run.pk}/", f"runs/{run.pk}/adds/")
    pool = f"pools/{campaign.pool.pk}/"
    pool_paths = ("pools/", pool, f"{pool}pairs/", f"pairs/{pair}/", "rounds/")
    numbers_paths = ("", "progress/", "agreement/", "leaderboard/")
    for path in (*run_paths, *pool_paths, *numbers_paths):
        url = f"/api/v1/collections/{campaign.collection.slug}/{path}"
        crawler.keep(url, client.get(url, headers=headers))
    return {
        mark: [reply.request for reply in crawler.replies if mark in reply.text] for mark in MARKS
    }


@pytest.mark.parametrize("role", [pytest.param(Role.RESEARCHER, marks=pytest.mark.full), Role.LEAD])
def test_other_people_of_the_collection_find_no_trace_of_a_hidden_run(campaign, role):
    run = hidden_run(campaign, campaign.researcher)
    assert all_that(cast.member(campaign.collection, role), campaign, run) == {
        mark: [] for mark in MARKS
    }


def test_who_uploaded_it_finds_it_in_its_places(campaign):
    run = hidden_run(campaign, campaign.researcher)
    pages_with_run = all_that(campaign.researcher, campaign, run)
    slug = campaign.collection.slug
    expected_pages = [
        f"GET {reverse(name, args=[slug])}" for name in ("pooling:runs", "metrics:leaderboard")
    ]
    assert set(expected_pages) <= set(pages_with_run["zqname"])
    assert all(pages_with_run.values())
