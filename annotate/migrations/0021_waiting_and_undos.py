"""A resolution that waits for another label, and undos that are known again."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0020_hand_outs_to_do"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="resolution",
            name="annotate_resolution_grade_by_status",
        ),
        migrations.AddField(
            model_name="judgmentevent",
            name="submission_id",
            field=models.UUIDField(
                blank=True, help_text="Of an undo, made by the browser: the same one again does nothing.", null=True
            ),
        ),
        migrations.AlterField(
            model_name="resolution",
            name="status",
            field=models.CharField(
                choices=[
                    ("single", "Single"),
                    ("agreed", "Agreed"),
                    ("majority", "Majority"),
                    ("median", "Median"),
                    ("adjudicated", "Adjudicated"),
                    ("model", "Model"),
                    ("waiting", "Waits for another label"),
                    ("disputed", "Disputed"),
                    ("escalated", "Escalated"),
                ],
                max_length=11,
            ),
        ),
        migrations.AddConstraint(
            model_name="judgmentevent",
            constraint=models.UniqueConstraint(
                fields=("judgment", "submission_id"), name="annotate_judgmentevent_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="resolution",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("grade__isnull", True), ("status__in", ["waiting", "disputed", "escalated"])),
                    models.Q(
                        ("grade__isnull", False),
                        ("status__in", ["single", "agreed", "majority", "median", "adjudicated", "model"]),
                    ),
                    _connector="OR",
                ),
                name="annotate_resolution_grade_by_status",
            ),
        ),
        migrations.RunSQL(
            """
            UPDATE annotate_resolution resolution SET status = 'waiting' FROM annotate_policy policy
            WHERE policy.id = resolution.policy_id AND policy.rule <> 'model' AND resolution.status = 'disputed'
              AND EXISTS (SELECT FROM annotate_seat seat JOIN annotate_round round ON round.id = seat.round_id
                          WHERE seat.pair_id = resolution.pair_id AND seat.purpose = 'label'
                            AND seat.state IN ('free', 'held') AND round.state IN ('opening', 'open'))
            """,
            "UPDATE annotate_resolution SET status = 'disputed' WHERE status = 'waiting'",
        ),
    ]
