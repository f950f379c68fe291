"""Comments and reasons: which labels meet the filters, recounted from their own rows, and how."""

import csv
import io

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import QueryDict

from annotate.models import HandOut, Item, Judgment, JudgmentComment, Pair, QuerySet
from annotate.services.background import kept
from annotate.services.judging import claiming, undoing
from annotate.services.people import accounts
from annotate.services.review import adjudicating
from annotate.services.review.exclusions import exclude_item, exclude_pair
from metrics.forms.comment_filters import CommentFilters, LabelState
from metrics.forms.comments import CommentsForm
from metrics.services.comments import comment_file, comments, matching
from metrics.services.comments.comments import page_of
from metrics.services.comments.kept_counts import inquiry_of
from metrics.services.comments.matching import matching_keys, newest_labels, top_pairs
from tests import campaigns, cast
from tests.metrics import studies
from tests.tables.fixture_cache import cached_rows

pytestmark = pytest.mark.django_db
REASONS = {0: [], 1: ["too general", {"name": "does not match", "what": ["colour", "action"]}]}
SAID = [
    (1, ["too general"], "Der HUND ist grün"),
    (1, ["too general", "does not match/colour"], ""),
    (1, ["does not match/colour"], "a dog, a hunter"),
    (2, [], "100 % right_now"),
    (0, [], ""),
    (0, [], "=1+1"),
]


@cached_rows
def commented_study(slug: str = "study"):
    """A study whose first labels, of one person, are those of SAID; golds and others are none."""
    study = studies.study(slug)
    for grade, reasons in REASONS.items():
        study.levels.filter(grade=grade).update(reasons=reasons)
    claiming.current_batch(annotator=cast.annotator(study))
    hand_outs = HandOut.objects.filter(batch__collection=study).order_by("position")
    for hand_out, (grade, reasons, comment) in zip(hand_outs, SAID, strict=False):
        campaigns.judge(hand_out, grade, reasons=reasons, comment=comment)
    return study


@pytest.fixture
def study():
    return commented_study()


def filters_of(study, address=""):
    form = CommentsForm(QueryDict(address), collection=study, viewer=AnonymousUser())
    assert form.is_valid(), form.sentences
    return form.filters()


def numbers(study, address=""):
    """The numbers of the labels in SAID that meet the filters of an address."""
    first = study.judgments.order_by("pk").first().pk
    keys = matching_keys(collection=study, filters=filters_of(study, address)).tolist()
    page = page_of(collection=study, filters=filters_of(study, address))
    assert [line.judgment.pk for line in page.lines] == keys[::-1]
    assert page.table.n_labels == len(keys)
    return sorted(study.judgments.filter(pk__gte=first, pk__lt=key).count() for key in keys)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("", [0, 1, 2, 3, 5]),
        ("kind=comment", [0, 2, 3, 5]),
        ("kind=reasons", [0, 1, 2]),
        ("kind=both", [0, 2]),
        ("q=hun", [0, 2]),
        ("q=GRÜN+hund", [0]),
        ("q=100+%25+right_", [3]),
        ("q=_", [3]),
        ("q=too+general", []),
        ("q=hun&kind=reasons&level=1", [0, 2]),
        ("level=1", [0, 1, 2]),
        ("level=0", [5]),
        ("reason=too general", [0, 1]),
        ("reason=does not match/colour", [1, 2]),
        ("reason=does not match/action", []),
        ("reason=too general&kind=comment", [0]),
        ("level=2&reason=too general", []),
        ("purpose=label", [0, 1, 2, 3, 5]),
        ("purpose=gold", []),
        ("state=all", [0, 1, 2, 3, 5]),
    ],
)
def test_a_label_meets_all_filters(study, address, expected):
    assert numbers(study, address) == expected


def test_labels_of_a_query_are_those_of_its_pairs(study):
    for query in study.items.filter(side="query"):
        said = [
            number
            for number, judgment in enumerate(study.judgments.order_by("pk"))
            if judgment.pair.query_id == query.pk and number != 4
        ]
        assert numbers(study, f"query={query.external_id}") == said


def test_labels_of_a_run_are_those_that_its_scores_rank_among_the_first(study):
    for run in study.runs.all():
        ranks = rank_by_pair(run)
        for depth in (5, 10):
            said = [
                number
                for number, judgment in enumerate(study.judgments.order_by("pk"))
                if ranks[judgment.pair_id] <= depth and number != 4
            ]
            assert numbers(study, f"run={run.pk}&depth={depth}") == said


def rank_by_pair(run):
    """The rank of each judged pair in a run, counted target by target."""
    ranks = {}
    for pair in Pair.objects.filter(judgments__isnull=False).select_related("query", "document"):
        ends = (pair.query_id, pair.document_id)
        source, target = ends if run.direction == "forward" else ends[::-1]
        in_use = set(Item.objects.in_use().values_list("pk", flat=True))
        targets = [
            key for key in run.rankings.get(source=source).targets if key < 0 or key in in_use
        ]
        ranks[pair.pk] = targets.index(target) + 1 if target in targets else len(targets) + 1
    return ranks


def test_excluded_and_unknown_targets_are_ranked_as_scores_do(study):
    query, *_ = study.items.filter(side="query").order_by("pk")
    documents = list(
        study.items.filter(side="document").order_by("pk").values_list("pk", flat=True)
    )
    run = study.runs.get(name="alpha")
    run.rankings.filter(source=query).update(
        targets=[-7, *documents[:6]], scores=[7, 6, 5, 4, 3, 2, 1]
    )
    exclude_item(item=Item.objects.get(pk=documents[0]), by=None, reason="broken")
    for document in documents:
        study.pairs.get_or_create(query=query, document_id=document)
    keys = top_pairs(run=run, depth=5)
    tops = study.pairs.filter(pk__in=keys.tolist(), query=query).order_by("document")
    # the unknown one keeps the first rank, the excluded one gives its rank up
    assert list(tops.values_list("document", flat=True)) == documents[1:5]


def test_a_run_without_queries_ranks_nothing(study):
    QuerySet.objects.filter(collection=study, direction="reverse").delete()
    assert not len(top_pairs(run=study.runs.get(name="gamma"), depth=5))


def test_only_labels_that_count_are_listed_unless_all_are_chosen(study):
    person = study.annotators.get()
    first, second, *_ = HandOut.objects.filter(batch__collection=study).order_by("position")
    campaigns.judge(first, 0, comment="on second thoughts")
    undoing.take_back(annotator=person, token=second.token)
    counts, everything = (
        page_of(collection=study, filters=CommentFilters(state=state))
        for state in (LabelState.COUNTS, LabelState.ALL)
    )
    assert {line.outcome for line in counts.lines} == {"counts"}
    assert len(counts.lines) == 5 - 1
    outcomes = sorted(line.outcome for line in everything.lines if line.outcome != "counts")
    assert outcomes == ["superseded", "undone"] and len(everything.lines) == 6
    newest = everything.lines[0]
    assert (newest.judgment.comment.text, newest.outcome) == ("on second thoughts", "counts")


def test_decisions_of_leads_and_golds_are_listed_and_can_be_left_out(campaign):
    pair = campaign.pool.round.round_pairs.first().pair
    adjudicating.adjudicate(pair=pair, by=campaign.lead, grade=2, note="plain")
    study = campaign.collection
    rows = Judgment.objects.filter(collection=study, seat__isnull=False, comment__isnull=False)
    assert set(rows.values_list("purpose", flat=True)) == {"label", "gold"}
    for purpose in ("label", "gold"):
        keys = matching_keys(collection=study, filters=CommentFilters(purpose=purpose)).tolist()
        assert keys == list(
            rows.filter(purpose=purpose).order_by("pk").values_list("pk", flat=True)
        )
    assert matching_keys(collection=study, filters=CommentFilters()).tolist() == list(
        rows.order_by("pk").values_list("pk", flat=True)
    )


def test_labels_of_excluded_pairs_and_items_are_listed_and_say_so(study):
    first, second, *_ = study.judgments.order_by("pk")
    exclude_pair(pair=first.pair, by=None, reason="broken")
    exclude_item(item=second.pair.document, by=None, reason="broken")
    left_out = {
        judgment.pk
        for judgment in study.judgments.all()
        if judgment.pair_id == first.pair_id or judgment.pair.document_id == second.pair.document_id
    }
    lines = page_of(collection=study, filters=CommentFilters()).lines
    assert {line.judgment.pk for line in lines if line.is_left_out} == left_out - {
        study.judgments.order_by("pk")[4].pk
    }
    assert len(lines) == 5


def counts_of(study, filters):
    """The counts of each level: labels, with a comment, with reasons, and by reason."""
    table = page_of(collection=study, filters=filters).table
    return [
        (
            level.n_labels,
            level.n_comments,
            level.n_with_reasons,
            [(row.reason, row.n, row.share_text) for row in level.reasons],
        )
        for level in table.levels
    ]


def test_counts_by_reason_and_level_are_those_of_the_labels(study):
    assert counts_of(study, CommentFilters()) == [
        (1, 1, 0, []),
        (3, 2, 3, [("too general", 2, "67 %"), ("does not match/colour", 2, "67 %")]),
        (1, 1, 0, []),
    ]
    table = page_of(collection=study, filters=CommentFilters()).table
    assert (table.n_labels, table.n_comments, table.n_reasons) == (5, 4, 4)
    assert table.reasons == ["too general", "does not match/colour"]
    hunt = counts_of(study, CommentFilters(words=("der",)))
    assert hunt == [(0, 0, 0, []), (1, 1, 1, [("too general", 1, "100 %")]), (0, 0, 0, [])]


def test_reasons_that_no_level_offers_any_more_stand_last(study):
    study.levels.filter(grade=1).update(reasons=[{"name": "does not match", "what": ["colour"]}])
    reasons = page_of(collection=study, filters=CommentFilters()).table.reasons
    assert reasons == ["does not match/colour", "too general"]


def test_an_erased_person_leaves_reasons(study):
    accounts.erase_person(user=study.annotators.get().user)
    page = page_of(collection=study, filters=CommentFilters())
    assert [line.pieces for line in page.lines] == [[]] * 3
    assert (page.table.n_comments, page.table.n_reasons) == (0, 4)


def test_pages_follow_one_another_without_gaps(study, monkeypatch):
    monkeypatch.setattr(comments, "PAGE_SIZE", 2)
    everything = matching_keys(collection=study, filters=CommentFilters()).tolist()[::-1]
    kept.compute(inquiry=inquiry_of(collection=study, filters=CommentFilters()))
    seen, before = [], None
    for n_expected in (2, 2, 1):
        page = page_of(collection=study, filters=CommentFilters(before=before))
        seen += [line.judgment.pk for line in page.lines]
        assert len(page.lines) == n_expected and page.table.n_labels == 5
        before = page.older
    assert before is None and seen == everything
    page = page_of(collection=study, filters=CommentFilters(before=everything[-1]))
    assert (page.lines, page.older) == ([], None)
    assert page.empty_text.startswith("Older labels have neither")


def test_labels_of_a_run_follow_one_another_in_whatever_steps(study, monkeypatch):
    run = study.runs.get(name="gamma")
    for steps in ((200,), (1, 1), (2, 1), (3,)):
        monkeypatch.setattr(matching, "STEPS", steps)
        for depth in (5, 10):
            filters = CommentFilters(run=run, depth=depth)
            expected = matching_keys(collection=study, filters=filters).tolist()[::-1]
            seen, n_labels = [], []
            while not n_labels or filters.before is not None:
                page = newest_labels(collection=study, filters=filters, size=2)
                assert len(page.keys) <= 2
                assert page.n_searched in ({0, sum(steps)} if page.older else {0})
                seen += page.keys
                n_labels.append(len(page.keys))
                filters = filters._replace(before=page.older)
            assert seen == expected


def test_a_search_that_ended_before_the_labels_says_so(study, monkeypatch):
    monkeypatch.setattr(matching, "STEPS", (1, 1))
    run = study.runs.get(name="alpha")
    run.rankings.update(targets=[], scores=[])
    page = page_of(collection=study, filters=CommentFilters(run=run))
    newest = study.judgments.order_by("-pk")
    # the fifth of six labels has neither words nor reasons
    assert (page.lines, page.older, page.n_searched) == ([], newest[2].pk, 2)
    assert page.empty_text.startswith("None of the labels that were looked up")


@pytest.mark.parametrize("page_size", [3, 50])
def test_it_asks_as_often_for_many_labels(
    study, page_size, monkeypatch, django_assert_max_num_queries
):
    monkeypatch.setattr(comments, "PAGE_SIZE", page_size)
    filters = CommentFilters(run=study.runs.first(), depth=100)
    kept.compute(inquiry=inquiry_of(collection=study, filters=filters))
    with django_assert_max_num_queries(40) as few:
        page_of(collection=study, filters=filters)
    for hand_out in HandOut.objects.filter(batch__collection=study).order_by("position")[6:14]:
        campaigns.judge(hand_out, 1, reasons=["too general"], comment="more")
    with django_assert_max_num_queries(len(few)):
        page = page_of(collection=study, filters=filters)
    assert len(page.lines) == min(page_size, 13)


def rows_of(study, address=""):
    pieces = comment_file.as_csv(collection=study, filters=filters_of(study, address))
    return list(csv.DictReader(io.StringIO(b"".join(pieces).decode())))


def test_the_file_has_all_labels_with_the_columns_of_raw_judgments(study, monkeypatch):
    monkeypatch.setattr(comment_file, "LINES_A_PIECE", 2)
    rows = rows_of(study)
    assert [row["comment"] for row in rows] == [
        "Der HUND ist grün",
        "",
        "a dog, a hunter",
        "100 % right_now",
        "'=1+1",
    ]
    assert [row["reasons"] for row in rows[:3]] == [
        "too general",
        "too general; does not match/colour",
        "does not match/colour",
    ]
    assert {row["status"] for row in rows} == {"counts"}
    assert [row["query"] for row in rows] == [
        judgment.pair.query.external_id
        for number, judgment in enumerate(study.judgments.order_by("pk"))
        if number != 4
    ]
    assert [row["comment"] for row in rows_of(study, "q=hunter")] == ["a dog, a hunter"]
    assert rows_of(study, "q=zebra") == []
    # a page's place does not cut the file
    assert len(rows_of(study, "before=1")) == 5


def test_comments_of_another_collection_stay_there(study):
    other = cast.collection(n_queries=1, n_documents=1)
    assert page_of(collection=other, filters=CommentFilters()).table.n_labels == 0
    assert JudgmentComment.objects.exists()
