"""Forms of the kinds of import, and the request of each valid one, for the pages and the API."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

from django.forms import Form

from annotate.forms.collections import ItemsForm, JudgmentsImportForm, ReferenceForm
from annotate.forms.query_sets import QuerySetForm
from annotate.models import Import
from annotate.services.imports.kinds import (
    ImportRequest,
    ItemsImport,
    JudgmentsImport,
    QuerySetImport,
    ReferenceImport,
)


class ImportForm(NamedTuple):
    """The form of a kind of import, the request made of a valid one, and its page.

    address : of its page, below that of the imports
    action : what links to the page say, and its button, unless `button` says something else
    """

    form: type[Form]
    to_request: Callable[[Any], ImportRequest]
    address: str
    title: str
    lede: str
    action: str
    template: str = "annotate/imports/load.html"
    button: str = ""


def _items(form: ItemsForm) -> ImportRequest:
    return ItemsImport(columns=form.cleaned_data["columns"])


def _reference(form: ReferenceForm) -> ImportRequest:
    fields = form.cleaned_data
    return ReferenceImport(
        name=fields["name"],
        grades=fields["grades"],
        min_grade=fields["min_grade"],
        skip_unknown=fields["skip_unknown"],
        skip_blank=fields["skip_blank"],
        columns=fields["columns"],
        make_documents=fields["make_documents"],
    )


def _judgments(form: JudgmentsImportForm) -> ImportRequest:
    fields = form.cleaned_data
    return JudgmentsImport(
        name=fields["name"], columns=form.judgment_columns(), skip_blank=fields["skip_blank"]
    )


def _query_set(form: QuerySetForm) -> ImportRequest:
    return QuerySetImport(name=form.cleaned_data["name"], direction=form.cleaned_data["direction"])


IMPORT_FORMS: Mapping[str, ImportForm] = {
    Import.Kind.ITEMS: ImportForm(
        ItemsForm,
        _items,
        address="items",
        title="Load items",
        lede=(
            "Queries and documents, with what is shown of them. The file is read in the "
            "background; one with a fault is not loaded at all, the same file twice changes "
            "nothing."
        ),
        action="Load items",
        template="annotate/imports/load_items.html",
    ),
    Import.Kind.REFERENCE: ImportForm(
        ReferenceForm,
        _reference,
        address="references",
        title="Load reference labels",
        lede=(
            "The labels this collection came with. Scores are shown with them alone, and with what "
            "people add to them."
        ),
        action="Load labels",
        template="annotate/imports/load_reference.html",
    ),
    Import.Kind.JUDGMENTS: ImportForm(
        JudgmentsImportForm,
        _judgments,
        address="judgments",
        title="Import judgments",
        lede=(
            "What people said elsewhere. A later line of one annotator on one pair supersedes the "
            "one before; the same file twice changes nothing."
        ),
        action="Import judgments",
        template="annotate/imports/load_judgments.html",
    ),
    Import.Kind.QUERY_SET: ImportForm(
        QuerySetForm,
        _query_set,
        address="query-sets",
        title="Load a query set",
        lede=(
            "Runs are scored, and pools can be made, on these items alone. A query set stays as it "
            "is; the set “all” holds every test item."
        ),
        action="Load a query set",
        template="annotate/imports/load_query_set.html",
        button="Load query set",
    ),
}


class ImportAddress:
    """Converter of URLs between a kind of import and the address of its page."""

    kinds: ClassVar = {form.address: kind for kind, form in IMPORT_FORMS.items()}
    regex = "|".join(kinds)

    def to_python(self, value: str) -> str:
        """Return the kind of an address."""
        return self.kinds[value]

    def to_url(self, value: str) -> str:
        """Return the address of a kind. Raises ValueError for another, as Django expects."""
        if value not in IMPORT_FORMS:
            raise ValueError(value)
        return IMPORT_FORMS[value].address
