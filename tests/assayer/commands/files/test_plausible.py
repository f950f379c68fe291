"""Plausible matches from tables of classes to PMRP, against PCME's definition counted plainly."""

import io

import numpy as np
import pytest

from annotate.services.collection.query_sets import complete_query_sets
from annotate.services.collection.references import load_reference
from tests import cast
from tests.assayer.commands.files.running import arguments, assayer, rows
from tests.metrics.matrix_runs import page_values

N_QUERIES, N_DOCUMENTS, CLASSES = 12, 30, ["cat", "dog", "sky, blue", "tree"]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A folder with classes and a run of shuffled documents; the same as plain lists."""
    folder = tmp_path_factory.mktemp("plausible")
    rng = np.random.default_rng(6)
    documents = {
        f"d{n}": row for n, row in enumerate((rng.random((N_DOCUMENTS, 4)) < 0.4).tolist())
    }
    queries = {f"q{n}": row for n, row in enumerate((rng.random((N_QUERIES, 4)) < 0.4).tolist())}
    (folder / "queries.csv").write_text(table(queries, CLASSES, range(4)))
    # the columns of the other file stand in another order
    (folder / "documents.csv").write_text(table(documents, CLASSES, [2, 0, 3, 1]))
    rankings = {query: rng.permutation(list(documents)).tolist() for query in queries}
    (folder / "run").write_text(
        "".join(
            f"{query} Q0 {document} {rank} {-rank} r\n"
            for query, ranking in rankings.items()
            for rank, document in enumerate(ranking, 1)
        )
    )
    return folder, queries, documents, rankings


def table(items, classes, order) -> str:
    header = ["id", *(f'"{classes[number]}"' for number in order)]
    lines = [[key, *(str(int(row[number])) for number in order)] for key, row in items.items()]
    return "".join(",".join(cells) + "\n" for cells in [header, *lines])


def n_differences(first, second) -> int:
    return sum(one != other for one, other in zip(first, second, strict=True))


def r_precision(ranking, matches) -> float:
    """The share of matches among as many first ranks as there are matches; 0 without."""
    return len(set(ranking[: len(matches)]) & matches) / len(matches) if matches else 0


@pytest.mark.parametrize("zetas", [1, 2, 3])
def test_pmrp_by_two_commands_is_that_of_pcme(study, zetas):
    folder, queries, documents, rankings = study
    printed = assayer(
        *arguments(f"plausible {folder}/queries.csv {folder}/documents.csv --zetas {zetas}")
    )
    (folder / "labels.qrels").write_text(printed.stdout)
    (folder / "ids").write_text("\n".join(queries))
    measures = f'"PMRP_mean(zetas={zetas}) PMRP(cap=0)"'
    report = assayer(
        *arguments(
            f"evaluate --qrels {folder}/labels.qrels --queries {folder}/ids {folder}/run "
            f"--measures {measures} --digits 12"
        )
    )
    means = []
    for zeta in range(zetas):
        values = []
        for query, classes in queries.items():
            matches = {
                document
                for document, row in documents.items()
                if n_differences(classes, row) <= zeta
            }
            values.append(r_precision(rankings[query], matches))
        means.append(np.mean(values))
    values = {row[0]: row[2] for row in rows(report.stdout)}
    assert float(values[f"PMRP_mean(zetas={zetas})"]) == pytest.approx(np.mean(means), abs=1e-11)
    # every match is positive from grade 1 on: the largest zeta
    assert float(values["PMRP(cap=0)"]) == pytest.approx(means[-1], abs=1e-11)


def test_each_line_has_the_grade_of_its_difference(study):
    folder, queries, documents, _ = study
    printed = assayer("plausible", f"{folder}/queries.csv", f"{folder}/documents.csv")
    expected = [
        f"{query} 0 {document} {3 - difference}"
        for query, classes in queries.items()
        for document, row in documents.items()
        if (difference := n_differences(classes, row)) < 3
    ]
    assert printed.stdout.splitlines() == expected


def test_one_file_is_of_queries_and_documents_and_empty_ones_are_told(tmp_path):
    (tmp_path / "items.tsv").write_text("item\tcat\tdog\na\t1\t0\nb\t0\t0\nc\t0\t0\n")
    printed = assayer("plausible", f"{tmp_path}/items.tsv", "--zetas", "1")
    assert printed.stdout == "a 0 a 1\nb 0 b 1\nb 0 c 1\nc 0 b 1\nc 0 c 1\n"
    assert "2 queries without a class: equal to all others without one." in printed.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected ids in the first column"),
        ("id\na\n", "expected ids in the first column"),
        ("id,cat\n", "there is no item below the header"),
        ("id,cat\na,1\nb,2\n", 'Line 3: "2" is neither 0 nor 1'),
        ("id,cat\na,1\nb,\n", "neither 0 nor 1"),
        ("id,cat\na,1\na,0\n", "stands on line 2 already"),
        ("id,cat\na b,1\n", "contains white space"),
        ("id,cat\na,1,1\n", "expected 2 fields, found 3"),
        ("id,cat,cat\na,1,1\n", "stands twice in the header"),
    ],
)
def test_a_faulty_table_is_refused_with_its_line(tmp_path, text, words):
    (tmp_path / "items.csv").write_text(text)
    printed = assayer("plausible", f"{tmp_path}/items.csv")
    assert printed.stderr.startswith("assayer plausible: ") and words in printed.stderr
    assert printed.stdout == ""


def test_files_of_other_classes_and_files_that_are_not_there_are_refused(tmp_path):
    (tmp_path / "queries.csv").write_text("id,cat\na,1\n")
    (tmp_path / "documents.csv").write_text("id,dog\nb,1\n")
    printed = assayer("plausible", f"{tmp_path}/queries.csv", f"{tmp_path}/documents.csv")
    assert "have other classes" in printed.stderr and "documents.csv" in printed.stderr
    assert "No such file" in assayer("plausible", f"{tmp_path}/nothing.csv").stderr


@pytest.mark.django_db
def test_the_file_is_a_reference_set_by_which_the_page_has_the_same_pmrp(study):
    folder, queries, documents, rankings = study
    printed = assayer("plausible", f"{folder}/queries.csv", f"{folder}/documents.csv")
    collection = cast.collection(grades=4, n_queries=N_QUERIES, n_documents=N_DOCUMENTS)
    complete_query_sets(collection=collection)
    load_reference(
        collection=collection,
        stream=io.BytesIO(printed.stdout.encode()),
        file_name="plausible.qrels",
        name="original",
    )
    keys = dict(collection.items.values_list("external_id", "pk"))
    targets = {
        keys[query]: ([keys[key] for key in ranking], list(range(N_DOCUMENTS, 0, -1)))
        for query, ranking in rankings.items()
    }
    run = cast.run(collection, "run", targets)
    levels = [
        [
            {key for key, row in documents.items() if n_differences(classes, row) <= zeta}
            for zeta in range(3)
        ]
        for classes in queries.values()
    ]
    expected = [
        np.mean([r_precision(ranking, matches) for matches in of_query])
        for ranking, of_query in zip(rankings.values(), levels, strict=True)
    ]
    values = page_values(collection, run, measures="PMRP_mean").whole[0]
    assert values.tolist() == pytest.approx(expected, abs=1e-12)
