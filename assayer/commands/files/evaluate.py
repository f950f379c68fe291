"""Score run files against a qrels file, as trec_eval does."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.core.files.formats import FormatError
from assayer.commands.command import CommandFailed, remark
from assayer.commands.files.argument_types import finite, whole
from assayer.commands.files.groups import FILE_HELP, groups_from_file
from assayer.commands.files.labels import add_label_arguments, labels_of
from assayer.commands.files.samples import beyond_sample, refuse_unequal_rates
from metrics.core.labels.label_sources import LabelSource
from metrics.core.measures.evaluation import RunEvaluation, evaluate_files
from metrics.core.measures.measures import Measure, evaluate, parse
from metrics.core.measures.ranking import PerQuery, positives
from metrics.core.statistics.groups import Design, Groups, design
from metrics.core.statistics.intervals import NO_INTERVAL, Interval, mean_intervals
from pooling.core.files.text.runs import SCORE_TYPES

EXAMPLES = "C@1 C@5 C@10 AP nDCG@10 mAP@R Judged@10"

INTERVALS_HELP = (
    "95 %% intervals too, as on the leaderboard: what other queries like these would give, labels "
    "taken as right; Wilson's with an effective number of queries, of mean ranks Student's t"
)

BEYOND = (
    "{}: the labels are a sample. {} count what was not drawn as irrelevant, leave it out, or "
    "infer it as xinfAP and infNDCG do, with an unknown bias: no intervals."
)


DESCRIPTION = (
    "Score runs (TREC form, gzip or plain, or .npz similarity matrices) against TREC qrels."
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run files")
    add_label_arguments(parser)
    parser.add_argument("--measures", default=EXAMPLES, help=f'such as "{EXAMPLES}" (the default)')
    parser.add_argument("--per-query", action="store_true", help="a line for every query too")
    parser.add_argument(
        "--threshold",
        type=finite,
        default=1,
        help="grade from which a document is positive (1)",
    )
    parser.add_argument(
        "--positive-queries",
        action="store_true",
        help="average over queries with a positive only",
    )
    parser.add_argument("--intervals", action="store_true", help=INTERVALS_HELP)
    parser.add_argument(
        "--groups", metavar="FILE", help=f"intervals for whole groups of queries; {FILE_HELP}"
    )
    parser.add_argument("--digits", type=whole, default=4, help="after the point (4)")
    parser.add_argument("--json", action="store_true", help="one JSON object a run, full precision")
    parser.add_argument(
        "--score-type",
        choices=SCORE_TYPES,
        default=SCORE_TYPES[0],
        help="how scores are compared",
    )
    parser.add_argument(
        "--use-ranks", action="store_true", help="order by the rank column, not by scores"
    )


def run(options: Namespace) -> None:
    """Print the values of each run."""
    try:
        measures = parse(options.measures)
        if not measures:
            raise CommandFailed('Name a measure at least, such as --measures "AP nDCG@10".')
        reading_options = {name: getattr(options, name) for name in ("score_type", "use_ranks")}
        source, labels = labels_of(options)
        refuse_unequal_rates(labels, measures)
        runs = evaluate_files(options.runs, labels, queries_path=options.queries, **reading_options)
        groups = None
        for run in runs:
            # the queries are those of the labels, the same for each run
            if options.groups and groups is None:
                queries = [query.decode() for query in run.queries]
                groups = groups_from_file(options.groups, queries)
            query_options = {
                "threshold": options.threshold,
                "positive": options.positive_queries,
            }
            report = EvaluationReport(run, measures, source, groups, **query_options)
            if report.beyond_sample:
                remark(BEYOND.format(run.name, ", ".join(report.beyond_sample)))
            report_options = {
                "per_query": options.per_query,
                "intervals": options.intervals,
            }
            if options.json:
                print(json.dumps(report.as_dict(**report_options)))
            else:
                sys.stdout.writelines(report.lines(**report_options, digits=options.digits))
    except BrokenPipeError:
        raise  # nobody reads on
    except FormatError as error:
        raise CommandFailed(f"{error.file}: {error}") from error
    except OSError as error:
        raise CommandFailed(
            f"{error.filename}: {error.strerror}." if error.filename else str(error)
        ) from error
    except ValueError as error:
        raise CommandFailed(str(error)) from error


class EvaluationReport:
    """Values of one run, over all queries of the qrels or over those with a positive."""

    def __init__(
        self,
        run: RunEvaluation,
        measures: list[Measure],
        source: LabelSource | None,
        groups: Groups | None,
        *,
        threshold: float,
        positive: bool,
    ) -> None:
        """groups : of the run's queries; None without --groups."""
        has_positive = positives(run.rankings, threshold).total > 0
        self.is_counted = has_positive if positive else np.ones(len(run.queries), dtype=bool)
        self.run = run
        self.groups = None if groups is None else groups.within(self.is_counted)
        self.source = source
        self.measures = measures
        self.values: dict[str, PerQuery] = evaluate(measures, run.rankings, threshold)
        self.beyond_sample = beyond_sample(run.rankings, measures)
        self.counts = {
            "num_q": int(np.count_nonzero(self.is_counted)),
            "num_q_missing": int(np.count_nonzero(self.is_counted & (run.rankings.depth == 0))),
            "num_q_positive": int(np.count_nonzero(has_positive)),
        }

    def lines(self, *, per_query: bool, intervals: bool, digits: int) -> Iterator[str]:
        """Lines of measure, query or "all", and value, separated by tabs."""
        if per_query:
            for q in np.flatnonzero(self.is_counted):
                query = self.run.queries[q].decode()
                for measure in self.measures:
                    value_text = self._text(self.values[measure.name][q], digits)
                    yield f"{measure.name}\t{query}\t{value_text}\n"
        yield f"runid\tall\t{self.run.name}\n"
        if self.source:
            yield f"label_source\tall\t{self.source}\n"
        for name, count in self.counts.items():
            yield f"{name}\tall\t{count}\n"
        if self.groups is not None:
            yield f"n_groups\tall\t{self.groups.n}\n"
        for name, value in self.means().items():
            yield f"{name}\tall\t{self._text(value, digits)}\n"
        designs = {} if self.groups is None or self.groups.are_single else self.designs(self.groups)
        for name, ends in self.intervals().items() if intervals else ():
            design_columns = designs[name]._asdict() if designs else {}
            for key, value in (ends._asdict() | design_columns).items():
                value_text = self._text(np.nan if value is None else value, digits)
                yield f"{name}_{key}\tall\t{value_text}\n"

    def _text(self, value: float, digits: int) -> str:
        """Format a number; for a rank beyond the lists, the rank at which they end."""
        if np.isinf(value):
            return f"n/a beyond {int(self.run.rankings.depth.max(initial=0))}"
        return "n/a" if np.isnan(value) else f"{value:.{digits}f}"

    def as_dict(self, *, per_query: bool, intervals: bool) -> dict[str, Any]:
        """The report for JSON, where an undefined value is null."""
        report: dict[str, Any] = {"runid": self.run.name} | self.counts
        if self.source:
            report["label_source"] = self.source.key
        if self.beyond_sample:
            report["beyond_sample"] = self.beyond_sample
        report["all"] = {name: _number(value) for name, value in self.means().items()}
        if intervals:
            report["intervals"] = {name: list(ends) for name, ends in self.intervals().items()}
        if self.groups is not None:
            designs = self.designs(self.groups)
            report["groups"] = {"n": self.groups.n} | {
                key: {name: getattr(group_design, key) for name, group_design in designs.items()}
                for key in Design._fields
            }
        if per_query:
            report["queries"] = {
                self.run.queries[q].decode(): {
                    name: _number(values[q]) for name, values in self.values.items()
                }
                for q in np.flatnonzero(self.is_counted)
            }
        return report

    def means(self) -> dict[str, float]:
        """Each measure's average over the queries that count."""
        return {
            measure.name: measure.average(self.values[measure.name][self.is_counted])
            for measure in self.measures
        }

    def intervals(self) -> dict[str, Interval]:
        """The interval of each measure that is a mean, None where it has none.

        The same as on any page.
        Measures that infer from a sample, or count undrawn pairs as irrelevant, have a bias that no
        interval covers.
        """
        return {
            measure.name: NO_INTERVAL
            if values is None or measure.is_inferred or measure.name in self.beyond_sample
            else mean_intervals(values[None, :], are_shares=measure.is_share, groups=self.groups)[0]
            for measure, values in self._mean_values()
        }

    def designs(self, groups: Groups) -> dict[str, Design]:
        """The design effect of the groups on each measure that is a mean."""
        return {
            measure.name: Design(None, None) if values is None else design(values, groups)
            for measure, values in self._mean_values()
        }

    def _mean_values(self) -> Iterator[tuple[Measure, NDArray[np.float64] | None]]:
        """Each measure that is a mean, with its values a query.

        None where a value is undefined, or without queries.
        """
        for measure in filter(lambda measure: measure.is_mean, self.measures):
            values = self.values[measure.name][self.is_counted]
            yield measure, values if len(values) and np.isfinite(values).all() else None


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
