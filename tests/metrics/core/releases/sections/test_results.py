from dataclasses import replace

from metrics.core.releases.sections.results import results
from tests.metrics.core.releases.samples.cards import paragraphs_under, table_lines
from tests.metrics.core.releases.samples.manifests import example_manifest, example_scores


def card(**changes) -> str:
    """The section of the example with some of its entries replaced, as a card of its own."""
    return f"---\n---\n{results(replace(example_manifest(), **changes))}"


def test_a_run_is_told_with_its_file_or_why_it_is_not_there():
    runs = table_lines(card())[0]
    assert runs[2:] == [
        "| clip-large | forward (queries to documents) | CLIP ViT-L/14; Example Lab; "
        "https://arxiv.org/abs/2103.00020; Cosine of the embeddings. | "
        "runs/forward/clip-large.txt.gz | by float32 | 1,330 | 0 | 0.0 % |",
        "| run-01 | forward (queries to documents) | not told: it stands under an alias | not in "
        "this release: Its uploader did not allow it. | by float64 | 1,328 | 2 | 1.5 % |",
    ]


def test_a_run_under_an_alias_is_not_described_even_if_its_words_come_along():
    run = replace(example_manifest().runs[0], is_named=False)
    assert "CLIP" not in card(runs=(run,))


def test_scores_of_a_query_set_and_label_source_are_a_table_of_runs_by_measures():
    _, scores, shares = table_lines(card())
    assert scores == [
        "| Run | AP | nDCG@10 | Queries | Without | With a positive |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        "| clip-large | 0.521 (0.501 to 0.541) | 0.640 (0.620 to 0.660), at most 0.710 | 1,330 | 0 "
        "| 1,290 |",
        "| run-01 | 0.470 (0.450 to 0.490) | undefined | 1,330 | 0 | 1,290 |",
    ]
    assert shares[0].startswith("| Run | Judged@1 | Judged@5 | Judged@10 |")
    assert shares[3].startswith("| run-01 | not computed | not computed | 0.910 (0.890 to 0.930)")
    assert paragraphs_under(card(), "Scores")[1] == (
        "Direction forward (queries to documents), query set “all”, labels: people over reference "
        "“original”, positive from grade 2:"
    )


def test_each_threshold_and_label_source_has_a_table_of_its_own():
    score = example_scores()[0]
    scores = (score, replace(score, threshold=3), replace(score, label_source="gone"))
    captions = [
        paragraph
        for paragraph in paragraphs_under(card(scores=scores), "Scores")
        if paragraph.startswith("Direction")
    ]
    assert [caption.split("labels: ")[1] for caption in captions] == [
        "people over reference “original”, positive from grade 2:",
        "people over reference “original”, positive from grade 3:",
        "gone, positive from grade 2:",
    ]


def test_without_scores_and_shares_there_are_sentences():
    assert paragraphs_under(card(scores=()), "Scores") == ["This release has no scores."]
    assert paragraphs_under(card(scores=()), "Share of judged results") == [
        "This release does not tell how many of the first results are judged."
    ]
