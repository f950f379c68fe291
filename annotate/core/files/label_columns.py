"""The columns of a file of labels in any shape: what each is taken for, as chosen or as guessed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from annotate.core.files.formats import quoted
from annotate.core.files.items.item_columns import GRADES, IDS, are_grades, are_ids, plain_name
from annotate.core.files.records import Record

MAX_COLUMNS = 100
_NAMES = {  # in use, as `plain_name` writes them
    "query": f"query {IDS['query']}",
    "document": f"document doc {IDS['document']}",
    "annotator": "annotator annotator_id worker worker_id rater judge assessor user user_id coder",
    "grade": GRADES,
    "time": "time timestamp at date datetime judged_at created_at",
    "stratum": "stratum strata",
}


class LabelFields(NamedTuple):
    """The meanings that columns of a kind of file can have.

    meanings : by field, in the order of menus
    required_fields : those without which there is no label
    per_annotator : a field that several columns may have, in place of `alternatives`
    """

    meanings: Mapping[str, str]
    required_fields: Sequence[str]
    per_annotator: str = ""
    alternatives: Sequence[str] = ()

    def columns_of(self, choices: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
        """Return the columns by their fields, without those that are left out."""
        columns: dict[str, list[str]] = {}
        for column, field in choices:
            if field:
                columns.setdefault(field, []).append(column)
        return columns

    def fault(self, columns: Mapping[str, Sequence[str]]) -> str:
        """Return why these columns make no labels, as a sentence; "" if they do."""
        if unknown_fields := [field for field in columns if field not in self.meanings]:
            names = ", ".join(self.meanings)
            return f"There is no field {quoted(unknown_fields[0])}; the fields are {names}."
        for field, names_of_field in columns.items():
            if len(names_of_field) > 1 and field != self.per_annotator:
                both = " and ".join(map(quoted, names_of_field[:2]))
                return f"{both} are both taken for {self.meanings[field]}: choose one of them."
        is_wide = self.per_annotator in columns
        doubles = [name for name in self.alternatives if is_wide and name in columns]
        if doubles:
            return (
                f"With columns of annotators' grades leave out {quoted(columns[doubles[0]][0])}, "
                f"{self.meanings[doubles[0]]}."
            )
        necessary_fields = [
            name for name in self.required_fields if not (is_wide and name in self.alternatives)
        ]
        if missing_fields := [
            self.meanings[name] for name in necessary_fields if name not in columns
        ]:
            return f"Choose the column of {missing_fields[0]}."
        return ""

    def guess(self, records: Sequence[Record]) -> list[tuple[str, str]]:
        """Guess what each column is taken for, "" for one that is left out.

        Names in use come first; of other columns the last with whole numbers is the grade, or all
        of several are annotators' grades, and those with ids are what lacks, in their order.
        """
        names = list(dict.fromkeys(name for record in records for name in record))[:MAX_COLUMNS]
        fields = _fields_by_name(names, self.meanings)
        ids = [name for name in names if name not in fields and are_ids(records, name)]
        numbers = [name for name in ids if are_grades(records, name)]
        words = [name for name in ids if name not in numbers]
        missing_fields = [field for field in self.required_fields if field not in fields.values()]
        is_wide = (
            len(numbers) > 1 and {*self.alternatives} <= {*missing_fields} and self.per_annotator
        )
        id_fields = [field for field in missing_fields if field != "grade"]
        if is_wide and len(words) < len(id_fields):
            id_fields = [field for field in id_fields if field not in self.alternatives]
            missing_fields = []
        if "grade" in missing_fields and numbers:
            fields[numbers.pop()] = "grade"
        for field in id_fields:
            if columns := words or numbers:
                fields[columns.pop(0)] = field
        if not missing_fields and is_wide:
            fields |= dict.fromkeys(numbers, self.per_annotator)
        return [(name, fields.get(name, "")) for name in names]


def _fields_by_name(names: Sequence[str], meanings: Iterable[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for field in meanings:
        usual_names = _NAMES.get(field, "").split()
        candidates = (
            name for name in names if name not in fields and plain_name(name) in usual_names
        )
        if column := next(candidates, ""):
            fields[column] = field
    return fields


REFERENCE_FIELDS = LabelFields(
    meanings={
        "query": "the query's id",
        "document": "the document's id",
        "grade": "the grade",
        "stratum": "the stratum of a sample",
    },
    required_fields=("grade", "query", "document"),
)
JUDGMENT_FIELDS = LabelFields(
    meanings={
        "query": "the query's id",
        "document": "the document's id",
        "annotator": "the annotator",
        "grade": "the grade",
        "annotators": "the grades of the annotator of this name",
        "time": "the time",
    },
    required_fields=("query", "document", "annotator", "grade"),
    per_annotator="annotators",
    alternatives=("annotator", "grade"),
)
