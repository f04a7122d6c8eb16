package template_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"portside/local/template"
)

// Media settings that cannot work are refused before anything starts, and only these.
func TestMediaSettingsOfTheProject(t *testing.T) {
	openai := map[string]string{"MediaEngine": "openai", "MediaModel": "m", "MediaModelUrl": "http://127.0.0.1:1/v1"}
	bedrock := map[string]string{"MediaEngine": "bedrock", "MediaModel": "m"}
	prices := map[string]string{"MediaInputPrice": "1", "MediaOutputPrice": "0"}
	eye := map[string]string{"MediaVisionModel": "eye"}
	for _, test := range []struct {
		set     []map[string]string
		without string
		says    string // nothing: it is taken
	}{
		{},
		{set: []map[string]string{openai}},
		{set: []map[string]string{bedrock}},
		{set: []map[string]string{openai, prices, eye}},
		{set: []map[string]string{bedrock, prices, eye}},
		{set: []map[string]string{prices}},
		{set: []map[string]string{openai}, without: "MediaModel", says: "need a MediaModel;"},
		{set: []map[string]string{bedrock}, without: "MediaModel", says: "need a MediaModel;"},
		{set: []map[string]string{openai}, without: "MediaModelUrl", says: "needs a MediaModelUrl"},
		{set: []map[string]string{prices}, without: "MediaInputPrice", says: "only one is set"},
		{set: []map[string]string{openai, prices}, without: "MediaOutputPrice", says: "only one is set"},
		{set: []map[string]string{eye}, says: "MediaVisionModel is a model of MediaEngine bedrock or openai"},
	} {
		parameters := map[string]string{}
		for _, some := range test.set {
			maps.Copy(parameters, some)
		}
		delete(parameters, test.without)
		_, err := template.Load(filepath.Join("..", "..", "template.yaml"), template.Options{Parameters: parameters})
		if refused := err != nil; refused != (test.says != "") || refused && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%v: %v, want %q", parameters, err, test.says)
		}
	}
}
