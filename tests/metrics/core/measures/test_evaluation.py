"""Files in, numbers out: runs, matrices, label tables and score files as written."""

import io

import ir_measures
import numpy as np
import pytest
import pytrec_eval

from annotate.core.files.formats import FormatError, GroupedProblems, Problems
from metrics.core.agreement.agreement import alpha_of_counts
from metrics.core.agreement.counts import count_units
from metrics.core.files.labels import read_labels
from metrics.core.measures.evaluation import evaluate_file, read_matrix
from metrics.core.measures.measures import evaluate, parse
from pooling.core.files.text.runs import read_qrels
from tests.metrics.core.oracles import ir_measure

MEASURES = {
    "AP": "map",
    "nDCG@10": "ndcg_cut_10",
    "RR": "recip_rank",
    "P@5": "P_5",
    "Bpref": "bpref",
    "infAP": "infAP",
}


def generated_files(rng) -> tuple[str, str]:
    """A run with ties, close scores and meaningless ranks, and qrels of every kind of query."""
    names = [f"{'DOC-' if rng.random() < 0.5 else 'é'}{i}" for i in range(50)]
    run, qrels = [], []
    for q in range(12):
        if q % 5 != 4:
            for doc in rng.permutation(names)[: rng.integers(1, 50)]:
                score = float(
                    rng.choice([rng.integers(0, 5), 1 + rng.integers(0, 3) * 1e-9, rng.normal()])
                )
                run.append(f"q{q} Q0 {doc} {rng.integers(0, 99)} {score!r} tag")
        grades = rng.integers(-1, 4 if q % 4 else 1, 30)
        qrels += [
            f"q{q} 0 {doc} {g}"
            for doc, g in zip(rng.permutation(names), [0, *grades], strict=False)
        ]
    qrels += ["alone 0 DOC-1 1"]
    run += ["elsewhere Q0 DOC-1 1 1.0 tag"]
    return "\n".join(rng.permutation(run)) + "\n", "\n".join(rng.permutation(qrels)) + "\n"


def read(text: str) -> io.BytesIO:
    return io.BytesIO(text.encode())


@pytest.mark.parametrize("seed", range(8))
def test_files_score_as_trec_eval_scores_them(seed):
    run, qrels = generated_files(np.random.default_rng(seed))
    labels = read_qrels(read(qrels), name="qrels")
    evaluation = evaluate_file(read(run), labels, name="run")
    theirs = pytrec_eval.RelevanceEvaluator(
        pytrec_eval.parse_qrel(io.StringIO(qrels)),
        {"map", "ndcg_cut.10", "recip_rank", "P.5", "bpref", "infAP"},
    ).evaluate(pytrec_eval.parse_run(io.StringIO(run)))
    values = evaluate(parse(" ".join(MEASURES)), evaluation.rankings)
    for row, query in enumerate(evaluation.queries):
        for ours, name in MEASURES.items():
            expected = theirs.get(query.decode(), {}).get(name, 0.0)
            assert values[ours][row] == pytest.approx(expected, abs=1e-9), (query, ours)
    assert (evaluation.name, evaluation.n_missing, evaluation.n_extra) == ("tag", 3, 1)


def test_the_mean_equals_that_of_ir_measures_over_all_queries():
    run, qrels = generated_files(np.random.default_rng(1))
    names = ["AP", "nDCG@10", "Success@5"]
    expected = ir_measures.calc_aggregate(
        [ir_measure(name) for name in names],
        list(ir_measures.read_trec_qrels(io.StringIO(qrels))),
        list(ir_measures.read_trec_run(io.StringIO(run))),
    )
    evaluation = evaluate_file(read(run), read_qrels(read(qrels), name="qrels"), name="run")
    for name, measure in zip(names, parse(" ".join(names)), strict=True):
        theirs = expected[ir_measure(name)]
        assert measure.average(measure.compute(evaluation.rankings)) == pytest.approx(
            theirs, abs=1e-9
        )


def as_npz(**arrays) -> io.BytesIO:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    stream.seek(0)
    return stream


@pytest.mark.parametrize("id_type", [str, int])
def test_a_matrix_scores_as_the_run_that_lists_it(id_type):
    rng = np.random.default_rng(3)
    rows, columns = (
        [id_type(i) for i in range(100, 108)],
        [id_type(i) for i in rng.permutation(30) + 7],
    )
    scores = rng.integers(0, 6, (8, 30)).astype(np.float32)
    run = "".join(
        f"{q} Q0 {d} 1 {s} t\n"
        for q, line in zip(rows, scores, strict=True)
        for d, s in zip(columns, line, strict=True)
    )
    pairs = [(q, d) for q in rows[:6] for d in rng.choice(columns, 5, replace=False)]
    qrels = (
        "".join(f"{q} 0 {d} {rng.integers(0, 3)}\n" for q, d in pairs)
        + "101 0 outside 1\nnobody 0 7 1\n"
    )
    labels = read_qrels(read(qrels), name="qrels")
    from_run = evaluate_file(read(run), labels, name="run")
    from_matrix = evaluate_file(
        as_npz(sim_mat=scores, row_ids=rows, column_ids=columns), labels, name="m.npz"
    )
    measures = parse("AP nDCG@5 C@1 mAP@R R@10 MedR Judged@5")
    ours, theirs = (
        evaluate(measures, evaluation.rankings) for evaluation in (from_matrix, from_run)
    )
    assert all(np.array_equal(ours[name], theirs[name]) for name in ours)
    assert (
        (from_matrix.n_missing, from_matrix.n_extra)
        == (from_run.n_missing, from_run.n_extra)
        == (1, 2)
    )


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"other": np.ones(3)}, "must hold sim_mat and the ids"),
        (
            {"sim_mat": np.ones((2, 2)), "row_ids": ["a"], "column_ids": ["x", "y"]},
            "1 row ids and 2 column ids",
        ),
        (
            {"sim_mat": np.ones((1, 2)), "row_ids": ["a"], "column_ids": ["x", "x"]},
            'Entry 2 of column_ids: the id "x"',
        ),
        (
            {"sim_mat": np.ones((2, 1)), "row_ids": ["a", "a"], "column_ids": ["x"]},
            'Entry 2 of row_ids: the id "a"',
        ),
        (
            {"sim_mat": [[1], [np.inf]], "row_ids": ["a", "b"], "column_ids": ["x"]},
            "Row 2 of sim_mat holds NaN or",
        ),
    ],
)
def test_a_matrix_that_lacks_something_says_what(arrays, message):
    with pytest.raises(FormatError, match=message):
        read_matrix(as_npz(**arrays), name="m.npz")


def test_a_damaged_matrix_or_one_with_nan_says_so():
    whole = as_npz(sim_mat=np.full((1, 1), np.nan), row_ids=["q"], column_ids=["d"]).getvalue()
    with pytest.raises(FormatError, match="damaged"):
        read_matrix(io.BytesIO(whole[:-20]), name="m.npz")
    with pytest.raises(FormatError, match="NaN"):
        evaluate_file(io.BytesIO(whole), read_qrels(read("q 0 d 1\n"), name="qrels"), name="m.npz")


def labels_of(text: str, *, problems: Problems | None = None, **options):
    columns = {
        "unit": ["unit"],
        "annotator": ["annotator"],
        "value": "value",
        "level": "interval",
    } | options
    return read_labels(
        read(text), Problems() if problems is None else problems, name="labels", **columns
    ).labels


def test_a_label_a_line_and_a_column_an_annotator_give_the_same_agreement():
    long = "unit,annotator,value\n" + "".join(
        f"u{u},a{a},{(u + (a == u % 3)) % 4}\n" for u in range(9) for a in range(3)
    )
    wide = "id\ta0\ta1\ta2\n" + "".join(
        f"u{u}\t" + "\t".join(str((u + (a == u % 3)) % 4) for a in range(3)) + "\n"
        for u in range(9)
    )
    long_labels = labels_of(long)
    wide_labels = labels_of(wide, unit=["id"], annotator=["a0", "a1", "a2"], value=None)
    alphas = [
        alpha_of_counts(count_units(labels), level="interval").value
        for labels in (long_labels, wide_labels)
    ]
    assert alphas[0] == alphas[1]


def test_missing_cells_are_left_out_and_repeated_labels_count_once():
    labels = labels_of("unit,annotator,value\nu,a,1\nu,b,NA\nu,c,\nu,a,2\n")
    assert (len(labels.value), labels.values.tolist(), labels.n_repeated) == (1, [1.0, 2.0], 1)


def test_faulty_lines_are_collected_and_a_missing_column_is_named():
    problems = Problems()
    labels_of("unit,annotator,value\nu,a,yes\nu,b\nu,c,2\n", problems=problems)
    assert problems.lines() == [
        'Line 2: "yes" is not a number; use the nominal level for words.',
        "Line 3: expected 3 fields, found 2.",
    ]
    with pytest.raises(FormatError, match=r'no column "who".*: 1 unit, 2 annotator, 3 value'):
        labels_of("unit,annotator,value\n", annotator=["who"])
    assert labels_of(
        "unit,annotator,value\nu,a,yes\nu,b,no\n", level="nominal"
    ).values.tolist() == ["no", "yes"]


def test_columns_are_named_by_numbers_too_several_by_their_span():
    rows = "q1,d1,1,2,\nq1,d2,1,1,3\n"
    names = {"unit": ["query", "document"], "annotator": ["x", "y", "z"], "value": None}
    by_names = labels_of("query,document,x,y,z\n" + rows, **names)
    for header, of in (("query,document,x,y,z\n", {}), ("", {"has_header": False})):
        by_numbers = labels_of(header + rows, unit=["1", " 2"], annotator=["3-5"], value=None, **of)
        assert all(
            np.array_equal(left, right)
            for left, right in zip(by_numbers[:3], by_names[:3], strict=True)
        )
    assert (
        len(
            labels_of(
                "7,a,1\n7,b,1\n", unit=["1"], annotator=["2"], value="3", has_header=False
            ).value
        )
        == 2
    )
    with pytest.raises(
        FormatError, match='"1" is the name of column 2, and a number of another one'
    ):
        labels_of("3,1,2\n7,u,a\n", unit=["1"], annotator=["2"], value="3")
    with pytest.raises(FormatError, match='column "annotator" stands for two things'):
        labels_of("unit,annotator,value\nu,a,1\n", unit=["1-2"])
    for column in ("4", "0", "2-9", "3-1"):
        with pytest.raises(FormatError, match="there is no column"):
            labels_of("unit,annotator,value\nu,a,1\n", unit=[column])
    with pytest.raises(
        FormatError, match="labels stand in one column each line, not also in value"
    ):
        labels_of("unit,annotator,value\nu,a,1\n", value="2-3")


def test_quotes_and_colours_in_a_cell_make_no_other_kind_of_fault():
    problems = GroupedProblems()
    rows = "".join(f'u,a,"he said ""w{n}"" \x1b[31m ok"\n' for n in range(300))
    labels_of("unit,annotator,value\n" + rows, problems=problems)
    (line,) = problems.lines()
    assert "300 such faults" in line and "\x1b" not in line
    with pytest.raises(FormatError, match="30 c29 and 1,970 more"):
        labels_of(",".join(f"c{n}" for n in range(2_000)) + "\n")


def test_a_kind_of_fault_is_told_once_with_its_count():
    problems = GroupedProblems()
    labels_of("unit,annotator,value\n" + "u,a,yes\n" * 12_000 + "u,a\nu,b,c,d\n", problems=problems)
    assert problems.n == 12_002
    assert problems.lines() == [
        'Line 2: "yes" is not a number; use the nominal level for words.'
        " 12,000 such faults, the next in line 3, 4, 5, 6, 7.",
        "Line 12002: expected 3 fields, found 2. 2 such faults, the next in line 12003.",
    ]


BELONGING = "query,doc,who,grade\nq1,d1,a,1\nq1,d1,b,1\nq1,d2,a,NA\nq2,d2,b,2\n ,d3,a,0\n"


def grouped_labels(text: str, problems: Problems | None = None, **options):
    columns = {
        "unit": ["query", "doc"],
        "annotator": ["who"],
        "value": "grade",
        "level": "interval",
    } | options
    return read_labels(
        read(text), Problems() if problems is None else problems, name="labels", **columns
    )


def test_each_unit_has_what_it_belongs_to_by_one_column_or_several():
    assert grouped_labels(BELONGING, group=["query"]).groups == [("q1",), ("q2",), ()]
    assert grouped_labels(BELONGING, group=["1-2"]).groups == [
        ("q1", "d1"),
        ("q2", "d2"),
        ("", "d3"),
    ]
    assert grouped_labels(BELONGING).groups == [(), (), ()]
    wide = grouped_labels(
        "u,q,a,b\n1,x,0,1\n2,y,,\n3,x,1,NA\n",
        unit=["u"],
        annotator=["3-4"],
        value=None,
        group=["q"],
    )
    assert wide.groups == [("x",), ("x",)]
    assert len(wide.labels.units) == 2


def test_groups_change_no_label():
    with_groups, plain = (
        grouped_labels(BELONGING, group=["query"]).labels,
        grouped_labels(BELONGING).labels,
    )
    assert all(np.array_equal(left, right) for left, right in zip(with_groups, plain, strict=True))


def test_a_unit_with_labels_in_two_groups_is_a_fault_with_its_line():
    problems = Problems()
    text = BELONGING + "q3,d1,c,1\n,d2,c,1\nq4,d3,c,NA\n"
    grouped_labels(text, problems, unit=["doc"], group=["query"])
    assert problems.lines() == [
        'Line 7: the unit "d1" is of "q3", but of "q1" in line 2: a unit belongs to one group.',
        'Line 8: the unit "d2" is of no group, but of "q2" in line 5: a unit belongs to one group.',
    ]
    for group in ("who", "grade"):
        with pytest.raises(FormatError, match=f'column "{group}" stands for two things'):
            grouped_labels(BELONGING, group=[group])
    with pytest.raises(FormatError, match='there is no column "video"'):
        grouped_labels(BELONGING, group=["video"])
