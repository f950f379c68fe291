"""The first migration of an application: all of its tables at once."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import ProjectState

PARTS = (migrations.AddField, migrations.AddConstraint, migrations.AddIndex)


class FirstMigration(migrations.Migration):
    """Makes each table in its final shape, where Django goes operation by operation.

    There, every model that is added has all that refer to it built anew, which is half of the work.
    The tables are the same: what is added to a model later in this migration is in the state that
    its table is made from.
    """

    def apply(
        self,
        project_state: ProjectState,
        schema_editor: BaseDatabaseSchemaEditor,
        collect_sql: bool = False,
    ) -> ProjectState:
        """Make the tables; operations that are no part of a table run in their order."""
        vars(project_state).pop("apps", None)  # built once, when all is in
        state = self.mutate_state(project_state, preserve=False)
        for operation in self.operations:
            if isinstance(operation, migrations.CreateModel):
                schema_editor.create_model(state.apps.get_model(self.app_label, operation.name))
            elif not isinstance(operation, PARTS):
                operation.database_forwards(self.app_label, schema_editor, state, state)
        return state
