package charts_test

import (
	"fmt"
	"testing"

	"portside/shared/charts"
)

// BenchmarkSync syncs one upload into an index of 5,000 versions in S3: of one chart, or of a
// hundred.
func BenchmarkSync(b *testing.B) {
	for _, names := range []int{1, 100} {
		b.Run(fmt.Sprintf("%d charts", names), func(b *testing.B) {
			p := newFixture(b)
			p.fill(5000, names)
			i := 0
			for b.Loop() {
				b.StopTimer()
				version := fmt.Sprintf("9.%d.0", i)
				file := "app0-" + version + ".tgz"
				p.publish(file, chart(b, "app0", version, ""))
				i++
				b.StartTimer()
				if got := p.sync(file); got != "listed "+file {
					b.Fatal(got)
				}
			}
		})
	}
}

// fill writes an index whose versions are as large as in ordinary charts.
func (p *fixture) fill(versions, names int) {
	p.tb.Helper()
	index := charts.NewIndex()
	for i := range versions {
		v := charts.Version{
			Name: fmt.Sprintf("app%d", i%names), Version: fmt.Sprintf("1.%d.0", i), Created: anyTime,
			Digest: fmt.Sprintf("%064x", i), Metadata: []byte(typicalMetadata),
		}
		v.URLs = []string{v.File()}
		if _, err := index.Set(v); err != nil {
			p.tb.Fatal(err)
		}
	}
	text, err := index.Encode(anyTime)
	if err != nil {
		p.tb.Fatal(err)
	}
	if err := p.bucket.Put(p.tb.Context(), charts.IndexKey, text, charts.Nothing); err != nil {
		p.tb.Fatal(err)
	}
}

const typicalMetadata = `{"apiVersion":"v2","appVersion":"16.2.0","description":"Chart for the object-relational database, with an ` +
	`exporter and backups","home":"https://example.com/database","icon":"https://example.com/icon.svg",` +
	`"keywords":["database","sql","cluster"],"kubeVersion":">= 1.28.0-0","maintainers":[{"email":"ada@example.com","name":"Ada"}],` +
	`"sources":["https://example.com/source"],` +
	`"dependencies":[{"name":"common","repository":"oci://example.com/charts","tags":["common"],"version":"2.x.x"}],"type":"application"}`
