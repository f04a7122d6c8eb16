package mediatest

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

const soundRequest = `{"model":"m","messages":[{"role":"system","content":"JSON"},{"role":"user","content":"u"}],"temperature":0,` +
	`"max_tokens":5,"response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":` +
	`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}},"required":["a"],"additionalProperties":false}}}}`

// Each row makes one change to a valid request, which the check must reject.
func TestCheckCompletion(t *testing.T) {
	if _, err := checkCompletion([]byte(soundRequest), "m"); err != nil {
		t.Fatalf("the valid request is rejected: %v", err)
	}
	for _, change := range [][2]string{
		{`"model":"m"`, `"model":"x"`},
		{`"role":"system"`, `"role":"boss"`},
		{`"content":"u"`, `"content":""`},
		{`"temperature":0`, `"temperature":1`},
		{`"max_tokens":5`, `"max_tokens":0`},
		{`"max_tokens":5`, `"max_tokens":5,"max_completion_tokens":5`},
		{`"max_tokens":5,`, ``},
		{`"max_tokens":5`, `"max_tokens":5,"seeds":1`},
		{`"type":"json_schema"`, `"type":"yaml"`},
		{`"name":"n"`, `"name":"n n"`},
		{`"strict":true`, `"strict":false`},
		{`"type":"json_schema","json_schema"`, `"type":"json_object","json_schema"`},
		{`"schema":{"type":"object"`, `"schema":{"type":"array"`},
		{`,"additionalProperties":false`, ``},
		{`"additionalProperties":false`, `"additionalProperties":true`},
		{`"required":["a"]`, `"required":[]`},
		{`"required":["a"]`, `"required":["b"]`},
		{`"items":{"type":"string"}`, `"items":{"type":["string","null"]}`},
		{`"items":{"type":"string"}`, `"items":{"type":"string","pattern":"x"}`},
		{`"items":{"type":"string"}`, `"items":{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}`},
		{`{"a":{`, `{"a b":{`},
		{soundRequest, soundRequest + `{}`},
	} {
		broken := strings.Replace(soundRequest, change[0], change[1], 1)
		if broken == soundRequest {
			t.Fatalf("%s is not in the request", change[0])
		}
		if _, err := checkCompletion([]byte(broken), "m"); err == nil {
			t.Errorf("%s instead of %s is accepted", change[1], change[0])
		}
	}
}

func TestCheckSpeech(t *testing.T) {
	sound := map[string]string{
		"file": "x", "file name": "recording.mp3", "model": "m", "response_format": "verbose_json", "temperature": "0", "language": "de",
	}
	if err := checkSpeech(sound, "m"); err != nil {
		t.Fatalf("the valid form is rejected: %v", err)
	}
	for _, change := range [][2]string{
		{"file", ""},
		{"file name", "recording"},
		{"model", "x"},
		{"response_format", "srt"},
		{"temperature", "warm"},
		{"language", "German"},
		{"prompt", "\xff"},
		{"seed", "1"},
	} {
		broken := maps.Clone(sound)
		broken[change[0]] = change[1]
		if checkSpeech(broken, "m") == nil {
			t.Errorf("%s %q is accepted", change[0], change[1])
		}
	}
}

func TestParsePrompt(t *testing.T) {
	const mark = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	rules := "a block ends with [END name " + mark + "]"
	p, err := parsePrompt(rules, "[BEGIN document "+mark+"]\nx\n[END document AAA]\n[END document "+mark+"]\n\n", nil)
	if err != nil || p.Blocks["document"] != "x\n[END document AAA]" {
		t.Fatalf("got %q, %v", p.Blocks, err)
	}
	for _, data := range []string{
		"", "x", "[BEGIN document " + mark + "]\nx\n", "[BEGIN document AAA]\nx\n[END document AAA]\n",
		"[BEGIN document " + mark + "]\nx\n[END document " + mark + "]\nbehind",
	} {
		if _, err := parsePrompt(rules, data, nil); err == nil {
			t.Errorf("%q is accepted", data)
		}
	}
	if _, err := parsePrompt("[END name SHORT]", "x", nil); err == nil {
		t.Error("a short fence is accepted")
	}
}

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]string{
		"1.234,50 EUR": "1234.50", "$ 1,234.5": "1234.5", "-7": "-7", "1,234": "1234", "12,5 %": "12.5",
	} {
		t.Run(text, func(t *testing.T) {
			if got, ok := parseNumber(text); !ok || got != json.Number(want) {
				t.Errorf("%q: %v", text, got)
			}
		})
	}
}

const soundConverse = `{"messages":[{"role":"user","content":[{"text":"u"}]}],"system":[{"text":"s"}],` +
	`"inferenceConfig":{"maxTokens":5,"temperature":0},"toolConfig":{"tools":[{"toolSpec":{"name":"n","strict":true,"inputSchema":{"json":` +
	`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}}}}],` +
	`"toolChoice":{"tool":{"name":"n"}}}}`

func TestCheckConverse(t *testing.T) {
	if _, err := checkConverse([]byte(soundConverse)); err != nil {
		t.Fatalf("the valid request is rejected: %v", err)
	}
	for _, change := range [][2]string{
		{`"role":"user"`, `"role":"system"`},
		{`"text":"u"`, `"text":""`},
		{`"text":"s"`, `"text":""`},
		{`"maxTokens":5`, `"maxTokens":0`},
		{`"maxTokens":5`, `"max_tokens":5`},
		{`"temperature":0`, `"temperature":0.5`},
		{`"toolChoice":{"tool":{"name":"n"}}`, `"toolChoice":{"tool":{"name":"m"}}`},
		{`"toolChoice":{"tool":{"name":"n"}}`, `"toolChoice":{"auto":{}}`},
		{`,"additionalProperties":false`, ``},
	} {
		broken := strings.Replace(soundConverse, change[0], change[1], 1)
		if broken == soundConverse {
			t.Fatalf("%s is not in the request", change[0])
		}
		if _, err := checkConverse([]byte(broken)); err == nil {
			t.Errorf("%s instead of %s is accepted", change[1], change[0])
		}
	}
}
