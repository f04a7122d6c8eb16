package installation

import (
	"cmp"

	"portside/cmd/portside/backup"
	"portside/cmd/portside/operator"
	"portside/shared/lambda/start"
)

// AllTables returns the tables of a backup.
func (t *Target) AllTables(p operator.Process, opened *Tables) ([]backup.TableData, error) {
	settings := start.NewSettings(t.lookup(p))
	var all []backup.TableData
	for _, id := range DataTables {
		name := cmp.Or(opened.Stack.Tables[id], settings.Optional(SettingOf(id)))
		if name == "" {
			return nil, MissingTables(id)
		}
		all = append(all, backup.TableData{Client: opened.Client, ID: id, Table: name})
	}
	return all, nil
}

// AllBuckets returns the buckets of a backup.
func (t *Target) AllBuckets(p operator.Process, opened *Tables) ([]backup.BucketData, error) {
	settings := start.NewSettings(p.Lookup)
	charts := cmp.Or(opened.Stack.Buckets["ChartsBucket"], settings.Optional("CHARTS_BUCKET"))
	lines := cmp.Or(opened.Stack.Buckets["AnalyticsBucket"], settings.Optional("ANALYTICS_BUCKET"))
	if charts == "" || lines == "" {
		return nil, operator.UsageError("set CHARTS_BUCKET and ANALYTICS_BUCKET to the names of the buckets, " +
			"or pass --local DATA for a local stack")
	}
	client := S3Client(opened.Config, opened.Stack.S3)
	return []backup.BucketData{
		// The index is restored first: then the function that indexes uploads finds every chart listed.
		{Client: client, ID: "ChartsBucket", Bucket: charts, Prefixes: []string{"index.yaml", "archives/", "charts/", "rejected/"}},
		{Client: client, ID: "AnalyticsBucket", Bucket: lines, Prefixes: []string{""}},
	}, nil
}
