"""What is computed when somebody looks is a kept value; that of before is computed again."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Q


def delete_computed(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Delete details of dashboards, biases of pools and disagreement, which were snapshots."""
    snapshots = apps.get_model("metrics", "Snapshot").objects
    snapshots.filter(
        Q(kind__in=("closer", "disagreement")) | Q(kind__startswith="favour-")
    ).delete()


class Migration(migrations.Migration):
    dependencies = [("metrics", "0010_truncate_refused"), ("annotate", "0018_kept")]

    operations = [
        migrations.DeleteModel(name="BoardView"),
        migrations.RunPython(delete_computed, migrations.RunPython.noop),
    ]
