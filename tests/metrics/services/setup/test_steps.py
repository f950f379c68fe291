"""The steps of a set-up, each by what makes it done."""

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from annotate.models import Import, Role, Side, Training, Work
from annotate.services.collection.collections import change_guidelines, change_policy
from annotate.services.people.accounts import invite
from metrics.services.setup.steps import StepState, setup
from pooling.models import Run
from pooling.services.pools import pools
from tests import campaigns, cast
from tests.pooling import factories
from tests.works import perform_work

pytestmark = pytest.mark.django_db
EVERYTHING = {Role.LEAD, Role.RESEARCHER}


@pytest.fixture
def collection():
    collection = cast.collection("birds")
    change_guidelines(collection=collection, markdown="", wording=[], by=None)
    return collection


def steps(collection, roles=EVERYTHING):
    """The steps by title, and the whole set-up."""
    collection.refresh_from_db()
    whole = setup(collection=collection, roles=roles)
    return {step.title: step for step in whole.steps}, whole


def state(collection, title):
    """The state of one step and its words."""
    step = steps(collection)[0][title]
    return step.state, step.text


def test_an_empty_collection_has_levels_alone(collection):
    by_title, whole = steps(collection)
    assert list(by_title) == [
        "Data",
        "Reference labels",
        "Levels",
        "Guidelines",
        "Runs",
        "Policy",
        "Golds",
        "Pool",
        "Training",
        "People",
        "Start",
    ]
    done = [title for title, step in by_title.items() if step.state == StepState.DONE]
    assert done == ["Levels"]
    must = [title for title, step in by_title.items() if step.state == StepState.OPEN]
    assert must == ["Data", "Runs", "Pool", "People", "Start"]
    assert whole.title == "Set-up: 1 of 11 steps done"
    assert not whole.is_over


def test_items_of_both_sides_are_data(collection):
    cast.items(collection, Side.QUERY, 1)
    assert state(collection, "Data") == (StepState.OPEN, "1 query, no documents yet")
    cast.items(collection, Side.DOCUMENT, 2)
    assert state(collection, "Data") == (StepState.DONE, "1 query, 2 documents")


@pytest.mark.parametrize(
    ("work_state", "state_of_step", "words"),
    [
        (Work.State.ASKED, StepState.UNDER_WAY, "being read"),
        (Work.State.RUNNING, StepState.UNDER_WAY, "being read"),
        (Work.State.FAILED, StepState.OPEN, "was refused"),
    ],
)
def test_the_last_file_of_items_tells_how_the_data_stand(
    collection, work_state, state_of_step, words
):
    is_over = work_state == Work.State.FAILED
    work = Work.objects.create(
        collection=collection,
        kind="import",
        subject=1,
        state=work_state,
        error_code="refused" if is_over else "",
        begun_at=timezone.now(),
        finished_at=timezone.now() if is_over else None,
    )
    import_ = Import.objects.create(
        collection=collection, kind=Import.Kind.ITEMS, file_name="a.jsonl", work=work
    )
    step_state, text = state(collection, "Data")
    assert step_state == state_of_step
    assert words in text
    data = setup(collection=collection, roles=set()).steps[0]
    report = reverse("annotate:import", args=[collection.slug, import_.pk])
    assert data.report_address == (report if is_over else "")
    assert state(collection, "Reference labels")[0] == StepState.OPTIONAL
    cast.pairs(collection, 1)
    data = setup(collection=collection, roles=set()).steps[0]
    if is_over:
        assert data.state == StepState.DONE
        assert data.text == "1 query, 10 documents. The last file was refused."
        assert data.report_address == report


def test_a_reference_set_gives_golds_by_itself(collection):
    cast.reference(collection, {}, name="original")
    assert state(collection, "Reference labels") == (StepState.DONE, "original")
    assert state(collection, "Golds")[0] == StepState.DONE
    change_policy(collection=collection, by=None, gold_positives=0, gold_negatives=0)
    assert state(collection, "Golds")[0] == StepState.OPTIONAL
    assert state(collection, "Policy")[0] == StepState.DONE


def test_written_guidelines_are_done(collection):
    change_guidelines(collection=collection, markdown="# Look twice", wording=[], by=None)
    assert state(collection, "Guidelines")[0] == StepState.DONE


def test_runs_are_under_way_until_one_is_read(collection):
    cast.pairs(collection, 1)
    run = cast.run(collection, "bm25", {})
    assert state(collection, "Runs") == (StepState.DONE, "1 run")
    Run.objects.filter(pk=run.pk).update(on_hold_since=timezone.now())
    assert state(collection, "Runs") == (StepState.OPEN, "1 run on hold: its page says why.")
    Run.objects.filter(pk=run.pk).update(state=Run.State.RECEIVED, finished_at=None)
    assert state(collection, "Runs") == (StepState.UNDER_WAY, "1 run being read")
    Run.objects.filter(pk=run.pk).update(state=Run.State.REJECTED, finished_at=timezone.now())
    assert state(collection, "Runs") == (StepState.OPEN, "1 file refused.")


def test_a_refused_run_is_linked_beside_those_that_were_read_and_a_hidden_one_is_not(collection):
    cast.pairs(collection, 1)
    cast.run(collection, "bm25", {})
    refused_run = cast.run(collection, "broken", {})
    refused = Run.objects.filter(pk=refused_run.pk)
    refused.update(state=Run.State.REJECTED)
    step = steps(collection)[0]["Runs"]
    assert (step.state, step.text) == (StepState.DONE, "1 run. 1 file refused.")
    assert step.report_address == reverse("pooling:run", args=["birds", refused_run.pk])
    refused.update(is_hidden=True)
    step = steps(collection)[0]["Runs"]
    assert (step.text, step.report_address) == ("1 run", "")


def test_an_invitation_is_under_way_and_an_annotator_done(collection):
    lead = cast.member(collection, Role.LEAD)
    invite(collection=collection, by=lead, role=Role.ANNOTATOR, email="a@example.org")
    assert state(collection, "People") == (
        StepState.UNDER_WAY,
        "1 invited, not come yet",
    )
    cast.annotator(collection)
    assert state(collection, "People") == (StepState.DONE, "1 annotator")


@pytest.mark.usefixtures("media_root")
def test_a_pool_that_opens_while_the_steps_are_read_is_not_told_as_open_to_do():
    collection = factories.collection()
    draft = factories.draft(collection, [factories.run(collection, "bm25", {0: [1, 2]})])
    pools.request_opening(pool=draft, by=None)
    reads = []

    def open_after_first_read(execute, sql, params, many, context):
        answer = execute(sql, params, many, context)
        if not reads and ('"pooling_pool"' in sql or '"annotate_round"' in sql):
            reads.append(sql)
            perform_work(draft)
        return answer

    with connection.execute_wrapper(open_after_first_read):
        assert state(collection, "Pool") == (StepState.DONE, "1 pool open")
    assert reads


def test_training_is_done_while_it_is_on(collection):
    Training.objects.create(collection=collection, is_on=True)
    assert state(collection, "Training") == (StepState.DONE, "On")


def test_the_first_judgment_ends_the_set_up(collection):
    campaigns.open_pool_round(collection, cast.pairs(collection, 1))
    assert state(collection, "Pool") == (StepState.DONE, "1 pool open")
    hand_out, *_ = campaigns.first_batch(collection)
    assert state(collection, "Start")[1].startswith("Everything is ready")
    _, whole = steps(collection, {Role.LEAD, Role.ANNOTATOR})
    assert whole.overview_lines[-1].address == reverse("annotate:judge", args=["birds"])
    assert not steps(collection)[1].overview_lines[-1].address
    campaigns.judge(hand_out)
    by_title, whole = steps(collection)
    assert by_title["Start"].text == "1 judgment"
    assert whole.is_over


def test_a_step_is_a_link_for_whoever_can_do_it(collection):
    _, of_lead = steps(collection, {Role.LEAD})
    assert [line.step.title for line in of_lead.overview_lines if line.address] == [
        "Levels",
        "Guidelines",
        "Policy",
        "Golds",
        "Training",
        "People",
    ]
    assert of_lead.next_step.title == "People"
    _, of_researcher = steps(collection, {Role.RESEARCHER})
    assert of_researcher.next_step.title == "Data"
