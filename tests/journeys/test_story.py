"""The README's story in a browser on the running product: from uploaded runs to checked qrels."""

import io
import re
from collections.abc import Callable

import ir_measures
import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django import DjangoDbBlocker

from annotate.models import Judgment, Part, Role
from tests import cast
from tests.addresses.page_checks import violations
from tests.journeys import acts
from tests.journeys.study import StudyFiles, small_study
from tests.metrics.core.oracles import ir_measure
from tests.servers.stack import Stack

SLUG = "small-shapes"
NAME = "Small Shapes"
LEVELS = {3: "Exactly this", 2: "Mostly", 1: "Somewhat", 0: "Not relevant"}


@pytest.fixture(scope="module")
def study() -> StudyFiles:
    return small_study(3)


def assert_accessible(page: Page) -> None:
    """axe finds nothing in either colour scheme; widths are tested elsewhere.

    From the top of the page: what the bar hides of a scrolled page is no target that is too small.
    """
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert (page.url, violations(page)) == (page.url, [])


def open_pool(page: Page) -> int:
    """Preview a pool, look at the preview, then open it; returns its key."""
    acts.preview_pool(page, SLUG, name="depth 10", depth=10)
    expect(page.locator("#alike tbody tr")).to_have_count(3)
    assert_accessible(page)
    return acts.open_previewed_pool(page, name="depth 10")


def shown_item(page: Page, study: StudyFiles, item_of_part: dict[int, str]) -> str:
    """Id of the document on screen, by its text or by the address of its picture or clip."""
    element = page.locator("#document :is(.text, img, video)")
    address = element.get_attribute("src")
    if address is None:
        return study.label_of[element.inner_text()]
    return item_of_part[int(address.partition("#")[0].split("/")[-2])]


def check_provenance(page: Page, study: StudyFiles, pool: int) -> None:
    """Every pair of the pool names a run of the files that holds it, at its rank there."""
    assert_accessible(page)
    page.get_by_role("link", name="Pairs and where they come from").click()
    page.wait_for_url("**/pairs/**")
    row = page.locator("main tbody tr").first
    ids = row.locator(".brief-id")
    pair = ids.nth(0).inner_text(), ids.nth(1).inner_text()
    for name, content in study.runs.items():
        ranks = {
            tuple(line.split()[:3:2]): line.split()[3] for line in content.decode().splitlines()
        }
        expected = f"{name}\xa0{ranks[pair]}" if pair in ranks else name
        assert (expected in row.inner_text()) == (pair in ranks), (pair, name, row.inner_text())
    assert_accessible(page)
    page.goto(reverse("metrics:pool-bias", args=[SLUG, pool]))
    expect(page.locator("main")).to_contain_text("Whether to go on judging", timeout=120_000)
    assert_accessible(page)


def test_from_uploaded_runs_to_qrels_that_tools_agree_with(
    live_stack: Stack,
    django_db_blocker: DjangoDbBlocker,
    new_person: Callable[[], Page],
    study: StudyFiles,
) -> None:
    with live_stack.orm(django_db_blocker):
        cast.member(cast.collection("earlier-work"), Role.RESEARCHER, cast.user("rita"))
    researcher = new_person()
    acts.sign_in(researcher, "rita", cast.PASSWORD)
    acts.make_collection(
        researcher,
        slug=SLUG,
        name=NAME,
        levels=LEVELS,
        positive_from=2,
        items=acts.upload("items.zip", study.items),
    )
    expect(researcher.locator("main")).to_contain_text("media files copied")
    assert_accessible(researcher)
    reference = acts.upload("reference.qrels", study.reference)
    acts.load(researcher, SLUG, "reference", reference)
    # of a few drawn doubles all might have one grade
    acts.change_policy(researcher, SLUG, double_percent="100")
    for name, content in study.runs.items():
        acts.upload_run(researcher, SLUG, name, content)
    assert_accessible(researcher)
    check_provenance(researcher, study, open_pool(researcher))
    with live_stack.orm(django_db_blocker):
        parts = Part.objects.filter(item__collection__slug=SLUG, item__side="document")
        item_of_part = dict(parts.values_list("pk", "item__external_id"))

    def true_grade(page: Page) -> int:
        grades = study.truth[page.locator("#query .text").inner_text()]
        return grades.get(shown_item(page, study, item_of_part), 0)

    for username in ("anna", "bert"):
        page = new_person()
        acts.accept(page, acts.invite(researcher, SLUG), username, NAME)
        assert acts.KeyboardAnnotator(page, SLUG, true_grade).work() > 0
    with live_stack.orm(django_db_blocker):
        n_judgments = Judgment.objects.filter(collection__slug=SLUG, purpose="label").count()
    check_dashboard(researcher, n_judgments)
    compare_with_tools(researcher, study)


def check_dashboard(page: Page, n_judgments: int) -> None:
    """Check progress, alpha with its interval and the agreement rate of all judgments."""
    page.goto(reverse("metrics:dashboard", args=[SLUG]))
    main = page.locator("main")
    expect(main).to_contain_text(re.compile(rf"\b{n_judgments} labels? given"), timeout=120_000)
    expect(main).to_contain_text(re.compile(r"1\.00\s+1\.00 to 1\.00"))
    expect(main).to_contain_text(re.compile(r"\d+ of \d+ pairs? complete"))
    page.goto(reverse("metrics:dashboard-tab", args=[SLUG, "agreement"]))
    expect(main).to_contain_text(re.compile(r"Pairs unanimous, %\s*100"))


def compare_with_tools(page: Page, study: StudyFiles) -> None:
    """Check that independent tools compute the leaderboard's numbers from the downloaded qrels."""
    qrels = download(page, "over:original")
    reference = download(page, "none:original")
    page.goto(reverse("metrics:leaderboard", args=[SLUG]))
    table = page.get_by_role("region", name="Scores, query to document").get_by_role("table")
    columns = [cell.strip().split("\n")[0] for cell in table.locator("thead th").all_inner_texts()]
    for name, content in study.runs.items():
        row = table.locator("tbody tr").filter(has=page.get_by_role("rowheader", name=name))
        cells = dict(zip(columns, row.locator("th, td").all_inner_texts(), strict=True))
        for ours, theirs in oracles(qrels, reference, content).items():
            whole, alone = (100 * value for value in theirs)
            expected = f"{whole:.1f} ({alone:.1f} + {whole - alone:.1f})"
            assert equal_as_printed(cells[ours].split("\n")[0], expected), (
                name,
                ours,
                cells[ours],
                expected,
            )
        assert float(cells["Judged@10"]) == 100.0


def equal_as_printed(printed: str, expected: str) -> bool:
    """Whether printed numbers are equal, but for the last digit."""
    texts = (text.replace("\u2212", "-") for text in (printed, expected))
    ours, theirs = (list(map(float, re.findall(r"-?\d+\.\d", text))) for text in texts)
    return len(ours) == len(theirs) == 3 and all(
        abs(a - b) < 0.11 for a, b in zip(ours, theirs, strict=True)
    )


def download(page: Page, label_source: str) -> str:
    """The newest file of qrels, asked for on the page of downloads, and made by a worker."""
    page.goto(reverse("metrics:downloads", args=[SLUG]))
    people, _, reference = label_source.partition(":")
    form = page.get_by_role("region", name="Qrels")
    form.get_by_label("Label source", exact=True).select_option(people)
    form.get_by_label(reference, exact=True).check()
    form.get_by_role("button", name="Make qrels").click()
    name = f"{SLUG}-forward-{people}-{reference}.qrels"
    with page.expect_download() as file:
        page.get_by_role("link", name=name).click(timeout=120_000)
    return file.value.path().read_text()


def oracles(qrels: str, reference: str, run: bytes) -> dict[str, tuple[float, float]]:
    """Values by measure: with people's labels over the reference, and with the reference alone."""
    names = {
        "C@1": "Success(rel=2)@1",
        "C@5": "Success(rel=2)@5",
        "C@10": "Success(rel=2)@10",
        "AP": "AP(rel=2)",
        "nDCG@10": "nDCG@10",
    }
    tool_measures = {ours: ir_measure(theirs) for ours, theirs in names.items()}
    values_by_source = []
    for labels in (qrels, reference):
        values = ir_measures.calc_aggregate(
            list(tool_measures.values()),
            list(ir_measures.read_trec_qrels(io.StringIO(labels))),
            list(ir_measures.read_trec_run(io.StringIO(run.decode()))),
        )
        tools = {ours: values[theirs] for ours, theirs in tool_measures.items()}
        values_by_source.append(tools | {"mAP@R": map_at_r(labels, run.decode())})
    return {
        ours: (values_by_source[0][ours], values_by_source[1][ours]) for ours in values_by_source[0]
    }


def map_at_r(qrels: str, run: str, threshold: int = 2) -> float:
    """Musgrave's mAP@R as in ECCV Caption's code: precision at the positives within the first R."""
    positives: dict[str, set[str]] = {}
    for query, _, document, grade in map(str.split, qrels.splitlines()):
        positives.setdefault(query, set())
        if int(grade) >= threshold:
            positives[query].add(document)
    ranked: dict[str, list[tuple[float, str]]] = {}
    for query, _, document, _, score, _ in map(str.split, run.splitlines()):
        ranked.setdefault(query, []).append((float(score), document))
    total = 0.0
    for query, relevant in positives.items():
        first = [document for _, document in sorted(ranked[query], reverse=True)][: len(relevant)]
        hits = [document in relevant for document in first]
        total += (
            sum(sum(hits[: i + 1]) / (i + 1) for i, hit in enumerate(hits) if hit) / len(relevant)
            if relevant
            else 0.0
        )
    return total / len(positives)
