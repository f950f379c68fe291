"""The module by which `ir_datasets` loads a release: the same text in each, beside its manifest."""

from pathlib import Path

from django.conf import settings

from metrics.core.releases.file_names import IR_DATASETS
from metrics.services.releases.writer import ReleaseWriter

# No module of the product, which has no ir_datasets to import.
SOURCE = Path(settings.BASE_DIR) / "templates" / "metrics" / "releases" / IR_DATASETS


def write_ir_datasets(writer: ReleaseWriter) -> None:
    """Write the module, which reads the manifest beside it wherever the folder lies."""
    about = "Its query sets for the Python package ir_datasets, which imports this module."
    writer.add_text(IR_DATASETS, about, SOURCE.read_text("utf-8"))
