"""The sentences and labels of the pages of runs and pools, each of them once."""

from types import SimpleNamespace

import pytest
from django.utils.timezone import now

from annotate.models import (
    Collection,
    QuerySet,
    ReferenceLabel,
    ReferenceSet,
    User,
)
from pooling.models import Matrix, Pool, Run
from pooling.sentences import (
    AdditionSentences,
    HoldSentences,
    PreviewSentences,
    ReportSentences,
    RetirementSentences,
    RunSentences,
    SourceSentences,
    hold_consequence,
    may_load,
    reference_grades,
)

SAMPLED = "A sample of them. Scores average over the drawn queries without weights"
LACK = "They keep their ranks and count as unjudged"


def run_of(report=None, *, is_judged=False, **fields):
    collection = Collection(scheme_frozen_at=now() if is_judged else None)
    fields = {"direction": "forward", "state": "ready", **fields}
    return Run(collection=collection, report=report or {}, **fields)


def preview_of(**figures):
    figures = {
        "n_new": 2,
        "n_judged": 1000,
        "hours": 0.25,
        "n_unknown": 0,
        "n_further": 0,
        **figures,
    }
    return SimpleNamespace(**figures)


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        (run_of(), "no ranked row names an item that this collection lacks"),
        (run_of(on_hold_since=now()), "no row is ranked yet, as none of its queries is known"),
        (
            run_of({"n_unknown": 1000, "n_kept": 1000}, is_judged=True, direction="reverse"),
            f"1,000 rows (50.0 %) name queries that this collection lacks. {LACK}.",
        ),
        (
            run_of({"n_unknown": 1, "n_kept": 3}, is_judged=True),
            "1 row (25.0 %) names documents that this collection lacks. It keeps its rank and "
            "counts as unjudged; once those are loaded, the file is read again.",
        ),
    ],
)
def test_a_report_says_what_became_of_unknown_rows(run, sentence):
    assert ReportSentences(run).unknown == sentence


def test_a_report_says_which_rows_are_of_queries_that_the_collection_lacks():
    report = {"n_rows": 1103, "n_kept": 1100, "n_unknown": 2, "n_dropped": 0}
    sentences = ReportSentences(run_of(report | {"unknown_sources": {"n": 1, "first": ["zzz"]}}))
    assert sentences.rows == (
        "1,103, of them 1,100 measured, 1 of queries that this collection lacks"
    )
    known = ReportSentences(run_of(report | {"unknown_sources": {"n": 0, "first": []}}))
    assert known.rows == "1,103, of them 1,100 measured"


@pytest.mark.parametrize(
    ("report", "sentence"),
    [
        ({}, "none"),
        (
            {"ties": 0.5},
            "50 % of rows share their score with another of the same ranking; ids order them",
        ),
        (
            {"ties": 0.5, "matrix": [2, 2]},
            "50 % of rows, of a matrix the best of each row alone, share their score with another "
            "of the same ranking; ids order them",
        ),
    ],
)
def test_a_report_says_how_many_rows_are_tied(report, sentence):
    assert ReportSentences(run_of(report)).ties == sentence


@pytest.mark.parametrize(
    ("report", "score_type", "sentence"),
    [
        ({"n_misranked": 0, "has_ranks": True}, "float32", "agrees with the order"),
        ({}, "float32", "agrees with the order"),
        ({"has_ranks": False}, "float32", "none: the order is by score"),
        (
            {"n_misranked": 1000},
            "float32",
            "contradicts the order of 1,000 neighbours; the order is by score",
        ),
        (
            {"n_misranked": 2},
            "rank",
            "contradicts the order of 2 neighbours; the order is by rank",
        ),
    ],
)
def test_a_report_says_whether_the_ranks_agree(report, score_type, sentence):
    assert ReportSentences(run_of(report, score_type=score_type)).rank_column == sentence


@pytest.mark.parametrize(
    ("n_misranked", "score_type", "rereading"),
    [
        (0, "float32", None),
        (2, "float32", ("read-by-rank", "Trust the rank column: read it again")),
        (0, "rank", ("read-by-score", "Trust the scores: read it again")),
        (2, "rank", ("read-by-score", "Trust the scores: read it again")),
    ],
)
def test_a_run_can_be_read_again_by_the_other_order(n_misranked, score_type, rereading):
    run = run_of({"n_misranked": n_misranked}, score_type=score_type)
    assert ReportSentences(run).rereading == rereading


def test_a_report_on_a_matrix_says_how_large_it_is():
    report = ReportSentences(run_of({"matrix": [1000, 2]}))
    seen = (
        "Scores are of all its cells, which are the rows here; pools and pages see the 100 best of "
        "each row."
    )
    assert report.matrix == f"1,000 \N{MULTIPLICATION SIGN} 2. {seen}"
    report.run.matrix = Matrix(n_bytes=2048)
    size = "2.0\N{NO-BREAK SPACE}KB"
    assert report.matrix == f"1,000 \N{MULTIPLICATION SIGN} 2, {size}. {seen}"
    assert report.depth_label == "Depth of the best"
    assert ReportSentences(run_of()).depth_label == "Depth"


@pytest.mark.parametrize(("uploader", "name"), [(None, "nobody"), (User(username="ada"), "ada")])
def test_a_hidden_run_says_who_knows_of_it(uploader, name):
    assert RunSentences(run_of(uploaded_by=uploader)).hidden == (
        f"Only {name} and the site's admins know of this run, its scores too. Publish it to pool "
        "it."
    )


@pytest.mark.parametrize(
    ("n_runs", "sentence"),
    [
        (
            1,
            "It is neither scored nor pooled until a researcher says so, on its page.",
        ),
        (
            2,
            "They are neither scored nor pooled until a researcher says so, on their own page.",
        ),
    ],
)
def test_runs_on_hold_say_what_that_means(n_runs, sentence):
    assert hold_consequence(n_runs) == sentence


@pytest.mark.parametrize(
    ("fields", "scope", "sampling"),
    [
        ({"strategy": "depth-k"}, "all", ""),
        (
            {"strategy": "depth-k-sample", "query_set": QuerySet(name="dev")},
            "query set “dev”",
            f"{SAMPLED}.",
        ),
        (
            {"strategy": "depth-k-sample", "parameters": {"strata": "length"}},
            "all",
            f"{SAMPLED}: strata that were drawn in unequal shares make them a figure of this "
            "sample, not of all queries.",
        ),
    ],
)
def test_a_pool_says_which_source_items_it_asks_about(fields, scope, sampling):
    sources = SourceSentences(Pool(**fields))
    assert (sources.scope, sources.sampling) == (scope, sampling)


def test_a_pair_has_a_grade_in_each_reference():
    labels = [
        ReferenceLabel(reference_set=ReferenceSet(name=name), grade=grade)
        for name, grade in (("gold", 2), ("silver", 0))
    ]
    assert reference_grades(labels) == "gold: grade 2, silver: grade 0"
    assert reference_grades([]) == ""


def test_a_run_that_waits_says_what_is_absent_with_ids_escaped():
    run = run_of({"unknown_sources": {"n": 1000, "first": ["a<b>", "c"]}})
    ids = "the file names 1,000, such as a&lt;b&gt;, c."
    assert HoldSentences(run, ["queries"]).absence == (f"This collection has no queries yet; {ids}")
    assert HoldSentences(run, []).absence == (
        f"None of the queries of this collection is in the file; {ids}"
    )


@pytest.mark.parametrize(("n", "verb"), [(1, "1 of them is"), (1000, "1,000 of them are")])
def test_a_run_that_waits_asks_whether_it_is_turned(n, verb):
    hold = HoldSentences(run_of({"n_turned": n}), [])
    assert hold.turn == (
        f"{verb} among the documents of this collection: is the direction the other one, or are "
        "the columns swapped?"
    )
    assert hold.remedy == "Then delete this run and upload the file again."


def test_a_run_that_waits_says_what_helps():
    assert HoldSentences(run_of(), []).remedy == (
        "Once they are loaded, the file is read again by itself."
    )
    assert HoldSentences(run_of(is_judged=True), []).remedy == (
        "The collection has been judged, so no queries can join it: upload this run to a "
        "collection that has them."
    )


@pytest.mark.parametrize(
    ("fields", "empty_sides", "beginning", "end"),
    [
        (
            {},
            [],
            "2 of its rows name documents",
            ", or the documents are loaded; then the file is read again by itself.",
        ),
        (
            {"direction": "reverse", "is_judged": True},
            ["queries"],
            "This collection has no queries yet, so all rows name queries",
            "; no queries can join a collection that has been judged.",
        ),
    ],
)
def test_a_run_on_hold_says_what_its_rows_name(fields, empty_sides, beginning, end):
    report = {"n_unknown": 2, "unknown_targets": {"n": 2, "first": ["x", "y<"]}}
    sentence = HoldSentences(run_of(report, **fields), empty_sides).unknown
    assert sentence.startswith(f"{beginning} that this collection lacks, such as x, y&lt;. {LACK},")
    assert sentence.endswith(f"until a researcher says so{end}")


@pytest.mark.parametrize(
    ("marks_due", "n_dropped", "sentence"),
    [
        (
            True,
            3,
            "Its pools are being gone through: pairs that only it brought leave their queues.",
        ),
        (
            False,
            1,
            "1 pair that only retired runs hold is no longer asked about; judgments stay.",
        ),
        (
            False,
            1000,
            "1,000 pairs that only retired runs hold are no longer asked about; judgments stay.",
        ),
        (False, 0, "Other runs hold all its pairs; people are asked about the same ones."),
    ],
)
def test_a_retired_run_says_what_becomes_of_its_pairs(marks_due, n_dropped, sentence):
    assert RetirementSentences(run_of(marks_due=marks_due), n_dropped).pairs == sentence


def test_a_run_says_what_it_adds():
    addition = AdditionSentences(run_of(), preview_of())
    assert addition.pairs == "2 new pairs, 1,000 judged already, 15 min of people"
    long = AdditionSentences(run_of(), preview_of(hours=1.25))
    assert long.pairs.endswith(", 1.3 hours of people")
    one = AdditionSentences(run_of(), preview_of(n_new=1, n_unknown=1))
    assert one.pairs.startswith("1 new pair, ")
    lacks = "documents that this collection lacks, so nobody can be asked about them"
    assert one.unknown == f"Apart from these, 1 result names {lacks}"
    many = AdditionSentences(run_of(), preview_of(n_unknown=1000))
    assert many.unknown == f"Apart from these, 1,000 results name {lacks}"
    assert addition.unknown == ""


@pytest.mark.parametrize(
    ("n_waiting", "n_further", "text"),
    [
        (0, 0, ""),
        (1000, 0, "Open pools ask about 1,000 more."),
        (6, 4, "Open pools ask about 6 more, of which this one wants 4 further labels."),
        (6, 1, "Open pools ask about 6 more, of which this one wants 1 further label."),
    ],
)
def test_a_run_says_what_open_pools_ask_about_already(n_waiting, n_further, text):
    preview = preview_of(n_waiting=n_waiting, n_further=n_further)
    assert AdditionSentences(run_of(), preview).waiting == text


def test_a_run_on_hold_for_one_row_says_so():
    report = {"n_unknown": 1, "unknown_targets": {"n": 1, "first": ["x"]}}
    sentence = HoldSentences(run_of(report), []).unknown
    assert sentence.startswith("1 of its rows names documents that this collection lacks, such as")
    assert " It keeps its rank and counts as unjudged, so its scores" in sentence


def test_a_run_names_the_sources_in_its_file():
    assert run_of().named == "Queries in the file"
    assert run_of(direction="reverse").named == "Documents in the file"


def test_only_documents_can_be_made_by_their_ids():
    assert AdditionSentences(run_of(), preview_of()).may_make
    assert not AdditionSentences(run_of(direction="reverse"), preview_of()).may_make


def test_queries_cannot_be_loaded_once_a_collection_is_judged():
    assert may_load(run_of(is_judged=True))
    assert may_load(run_of(direction="reverse"))
    assert not may_load(run_of(direction="reverse", is_judged=True))
    assert not AdditionSentences(run_of(direction="reverse", is_judged=True), preview_of()).may_load


@pytest.mark.parametrize(
    ("is_measured", "n_queries", "end"),
    [
        (True, 1, "this collection\N{RIGHT SINGLE QUOTATION MARK}s median. 1 query."),
        (False, 1000, "the usual figure until this collection has its own. 1,000 queries."),
    ],
)
def test_a_preview_says_what_its_hours_count(is_measured, n_queries, end):
    preview = preview_of(n_golds=1000, seconds=9.04, is_measured=is_measured, n_queries=n_queries)
    assert PreviewSentences(preview).basis == (
        "Labels include planned doubles; where people disagree a third is asked for on top. Hours "
        f"count 1,000 golds too, at 9.0 s a judgment, {end}"
    )


@pytest.mark.parametrize(
    ("n_further", "n_pairs", "beginning"),
    [
        (1, 1, "Of the labels, 1 is for 1 pair"),
        (1200, 1000, "Of the labels, 1,200 are for 1,000 pairs"),
    ],
)
def test_a_preview_says_whose_pairs_are_complete_later(n_further, n_pairs, beginning):
    preview = preview_of(n_further=n_further, n_further_pairs=n_pairs)
    assert PreviewSentences(preview).further == (
        f"{beginning} that open pools ask about with fewer. These pools count such pairs as "
        "complete only once they have what this pool asks for."
    )
    assert PreviewSentences(preview_of()).further == ""


@pytest.mark.parametrize(
    ("n_unknown", "beginning"),
    [
        (1, "Not counted: 1 result that names an item"),
        (1000, "Not counted: 1,000 results that name an item"),
    ],
)
def test_a_preview_says_what_it_does_not_count(n_unknown, beginning):
    sentence = PreviewSentences(preview_of(n_unknown=n_unknown)).unknown
    assert sentence == (
        f"{beginning} this collection lacks; each run\N{RIGHT SINGLE QUOTATION MARK}s page says "
        "which, and offers to load these documents."
    )
    assert PreviewSentences(preview_of()).unknown == ""


@pytest.mark.parametrize(
    ("hours", "text"),
    [(0, "0"), (0.004, "14.4 s"), (0.25, "15 min"), (1, "1"), (1234.56, "1,234.6")],
)
def test_less_than_an_hour_of_people_is_told_in_minutes(hours, text):
    assert PreviewSentences(preview_of(hours=hours)).hours == text
