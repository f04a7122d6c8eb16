package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

func TestEventContainsForm(t *testing.T) {
	s := &stack{adminKey: "key"}
	in := uploadRequest(extractMedia, []byte("the file"), [][2]string{{"lang", "de"}})
	var event events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(s.event(in), &event); err != nil {
		t.Fatal(err)
	}
	body, err := base64.StdEncoding.DecodeString(event.Body)
	_, parameters, notTyped := mime.ParseMediaType(event.Headers["content-type"])
	if err != nil || notTyped != nil || event.RouteKey != "ANY /v1/capabilities/{proxy+}" || !event.IsBase64Encoded {
		t.Fatalf("%v, %v, %+v", err, notTyped, event)
	}
	form, err := multipart.NewReader(bytes.NewReader(body), parameters["boundary"]).ReadForm(1 << 10)
	if err != nil {
		t.Fatal(err)
	}
	file, err := form.File["file"][0].Open()
	if err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(file); string(content) != "the file" || err != nil || form.Value["lang"][0] != "de" {
		t.Errorf("%q, %v, %v", content, err, form.Value)
	}
}

func TestCheckOnly(t *testing.T) {
	for only, wrong := range map[string]string{"": "", "media": "", "starts,media": "", "medea": `"medea"`, "media,": `""`} {
		err := (&bench{only: only}).checkOnly()
		if (err != nil) != (wrong != "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%q: %v", only, err)
		}
	}
	if b := (&bench{only: "starts,media"}); !b.wants("media") || b.wants("lists") || !(&bench{}).wants("lists") {
		t.Error("wants does not match the names in -only")
	}
}
