"""No reference set is without a name: keys of label sources are made of names."""

from django.db import migrations, models
from django.db.models import Q

# A collection that has a set "unnamed" already gets a second one that says so.
NAME = """
UPDATE annotate_referenceset nameless SET name = 'unnamed' || CASE WHEN EXISTS (
    SELECT FROM annotate_referenceset other
    WHERE other.collection_id = nameless.collection_id AND other.name = 'unnamed') THEN ' 2' ELSE '' END
WHERE name = ''
"""


class Migration(migrations.Migration):
    dependencies = [("annotate", "0004_pair_states")]

    operations = [
        migrations.RunSQL(NAME, migrations.RunSQL.noop),
        migrations.AddConstraint(
            "referenceset",
            models.CheckConstraint(condition=~Q(name=""), name="annotate_referenceset_named"),
        ),
    ]
