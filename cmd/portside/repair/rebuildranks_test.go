package repair

import (
	"context"
	"strings"
	"testing"

	"portside/shared/customers"
	"portside/shared/projects"
)

func TestRebuildRanks(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	o.Expect(o.Run("import-users", o.Write("users.csv", "email,name,role\na@example.com,A,admin\nb@example.com,B,user\n")), 0, "2 created")
	o.DeleteItem(o.Names.Users, "rank#users#1#0", "root")
	o.DeleteItem(o.Names.Users, "email#b@example.com", "email")
	creation := projects.Creation{Project: projects.Project{ID: "p", Status: projects.Draft}}
	if _, err := o.Tables.Projects.Create(t.Context(), creation); err != nil {
		t.Fatal(err)
	}
	o.DeleteItem(o.Names.Projects, "list#draft", "0000000000")
	customer := customers.Customer{ID: "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12", Slug: "acme", Status: customers.Active}
	if _, err := o.Tables.Customers.Create(t.Context(), customers.Creation{Customer: customer}); err != nil {
		t.Fatal(err)
	}
	o.DeleteItem(o.Names.Customers, "slug#acme", "slug")
	o.Expect(o.Run("import-users", o.Write("more.csv", "email,name,role,customerId\nc@example.com,C,user,"+customer.ID+"\n")), 0, "1 created")
	o.DeleteItem(o.Names.Users, "rank#users#"+customer.ID+"#1#0", "root")
	got := o.Expect(o.Run("rebuild-ranks"), 0, "counts")
	for _, line := range []string{
		"1  users repaired", "1  counters of users corrected", "0  sequence", "0  number of active admins",
		"1  customers repaired", "0  counters of customers corrected", "1  numbers of users of customers corrected", "1  projects repaired", "0  counters of projects corrected",
	} {
		if !strings.Contains(got.Stdout, line) {
			t.Errorf("the summary lacks %q:\n%s", line, got.Stdout)
		}
	}
	if all := o.UserEmails(); len(all) != 3 {
		t.Errorf("got the users %v, want three", all)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	o.Expect(o.RunWith(stopped, nil, "rebuild-ranks", "--local", o.Dir), 130, "stopped; run the command again")
}
