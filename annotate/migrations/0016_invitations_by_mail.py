"""Invitations that are sent by e-mail, and whether they were."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0015_html_parts")]

    operations = [
        migrations.AddField(
            model_name="invitation",
            name="by_mail",
            field=models.BooleanField(
                default=False, help_text="The link is made when it is sent, and shown to nobody else."
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="mail_attempts",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="invitation",
            name="mailed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(("by_mail", False), models.Q(("email", ""), _negated=True), _connector="OR"),
                name="annotate_invitation_mail_has_address",
            ),
        ),
    ]
