package projectsdynamo

import (
	"testing"

	"portside/shared/projects"
	"portside/shared/testkit/fieldstest"
)

func TestItemKeepsEachField(t *testing.T) {
	project := fieldstest.Filled[projects.Project](t)
	fieldstest.WantSame(t, "projectItem", newProjectItem(project).project(), project)
	listed := fieldstest.Filled[listItem](t)
	fieldstest.WantSame(t, "listItem", listForm(listed.project()), listed)
}

func TestFormsHaveEachField(t *testing.T) {
	fieldstest.WantUsed(t, "the list form", listForm, "Members", "Settings", "Metadata", "UpdatedAt", "Number", "Version",
		"History")
	fieldstest.WantUsed(t, "the audit form", auditForm, "ID", "CreatedAt", "UpdatedAt", "Number", "History")
}
