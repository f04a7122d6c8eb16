package trustdynamo

import (
	"crypto/sha256"
	"encoding/hex"

	"portside/shared/core/audit"
	"portside/shared/core/principal"
	"portside/shared/trust"
)

// policyForm is what audit events show of a trust policy.
type policyForm struct {
	Name       string            `json:"name"`
	Issuer     string            `json:"issuer"`
	Audience   string            `json:"audience"`
	Conditions []conditionForm   `json:"conditions"`
	Scopes     []principal.Scope `json:"scopes"`
	MaxMinutes int               `json:"maxMinutes"`
	KeysHash   string            `json:"jwksSha256,omitempty"` // of the uploaded key set, which can have 50 KB
	Version    int64             `json:"version"`
}

type conditionForm struct {
	Claim  string   `json:"claim"`
	Value  string   `json:"value,omitempty"` // if there is one
	Values []string `json:"values,omitempty"`
}

func auditForm(p trust.Policy) any {
	if p.ID == "" {
		return nil
	}
	form := policyForm{
		Name: p.Name, Issuer: p.Issuer, Audience: p.Audience, Conditions: make([]conditionForm, len(p.Conditions)),
		Scopes:     p.Scopes,
		MaxMinutes: p.MaxMinutes, Version: p.Version,
	}
	for i, c := range p.Conditions {
		form.Conditions[i] = conditionForm(newConditionItem(c))
	}
	if p.Keys != "" {
		sum := sha256.Sum256([]byte(p.Keys))
		form.KeysHash = hex.EncodeToString(sum[:])
	}
	return form
}

// change returns the change of a policy. The zero policy as before means a creation, and as after a deletion.
func change(action audit.Action, before, after trust.Policy) audit.Change {
	of := after
	if of.ID == "" {
		of = before
	}
	return audit.Change{
		Action: action, Target: audit.Target{Kind: audit.TrustPolicy, ID: of.ID, Name: of.Name}, CustomerID: of.CustomerID,
		Before: auditForm(before), After: auditForm(after),
	}
}
