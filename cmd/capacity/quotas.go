package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed quotas.json
var documentedQuotas []byte

// quota is a limit of an account and region, as AWS documents it. No account has confirmed it.
type quota struct {
	ID       string  `json:"id"`
	What     string  `json:"what"`
	Value    float64 `json:"value"`
	Unit     string  `json:"unit"`
	RaisedBy string  `json:"raisedBy"`
	Source   string  `json:"source"`
}

// quotaList has quotas by ID.
type quotaList struct {
	all  []quota
	byID map[string]float64
}

func parseQuotas(text []byte) (*quotaList, error) {
	list := &quotaList{byID: map[string]float64{}}
	if err := json.Unmarshal(text, &list.all); err != nil {
		return nil, fmt.Errorf("read quotas.json: %w", err)
	}
	for _, q := range list.all {
		list.byID[q.ID] = q.Value
	}
	return list, nil
}
