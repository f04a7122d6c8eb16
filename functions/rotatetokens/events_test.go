package main

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"portside/shared/credentials"
	"portside/shared/rotation"
	"portside/shared/testkit/webtest"
)

func TestEvents(t *testing.T) {
	webtest.EachSampleEvent(t, "rotatetokens", func(t *testing.T, golden string, payload []byte) {
		h := newFixture(t)
		h.prepare(payload)
		got, err := h.handle(t.Context(), payload)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		webtest.GoldenJSON(t, golden, text)
	})
}

// prepare creates the state for an event: a rotation with the previous steps done, or a token that expires tomorrow.
func (h *fixture) prepare(payload []byte) {
	h.tb.Helper()
	var event rotation.Event
	if err := json.Unmarshal(payload, &event); err != nil {
		h.tb.Fatal(err)
	}
	if event.Step == "" {
		h.issue(credentials.AccessToken, 2, nil)
		h.advance(day)
		return
	}
	h.createSecret(h.terms())
	_, err := h.secrets.RotateSecret(h.tb.Context(), &secretsmanager.RotateSecretInput{
		SecretId: &h.secret, ClientRequestToken: &event.Version,
		RotationLambdaARN: aws.String("arn:aws:lambda:::function:RotateTokensFunction"),
	})
	if err != nil {
		h.tb.Fatal(err)
	}
	for _, step := range steps()[:max(0, slices.Index(steps(), event.Step))] {
		if err := h.step(step, event.Version); err != nil {
			h.tb.Fatal(err)
		}
	}
}
