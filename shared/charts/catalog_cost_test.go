package charts_test

import (
	"fmt"
	"testing"

	"portside/shared/charts"
	"portside/shared/core/entitlement"
	"portside/shared/core/principal"
)

// A page for a customer must not look at every version again.
func TestPagesForCustomersAreCheap(t *testing.T) {
	d := newMeteredBucket(t)
	var all []charts.Version
	for i := range 3_000 {
		all = append(all, version(fmt.Sprintf("chart%d", i%10), fmt.Sprintf("1.%d.0", i)))
	}
	d.publish(all...)
	library := d.library()
	caller := principal.Principal{
		CustomerID: "acme", Scopes: []principal.Scope{principal.ReadCharts},
		Entitled: entitlement.Set{entitled(t, entitlement.Chart, "*", ">=1.2990.0")},
	}
	read := func() {
		page, err := library.Charts(t.Context(), caller, charts.ChartQuery{Filter: "chart7", Limit: 1})
		if err != nil || page.Total != 1 || page.Charts[0].Versions != 1 || page.Charts[0].Latest.Version != "1.2997.0" {
			t.Fatal(page, err)
		}
	}
	read()
	if n := testing.AllocsPerRun(3, read); n > 1_000 {
		t.Errorf("a page for a customer makes %v allocations", n)
	}
}
