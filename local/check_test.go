package main

import (
	"strings"
	"testing"
)

func TestCheckParameters(t *testing.T) {
	const complete = `"BaseUrl": "https://portal.example.com", "ImageRepositories": "acme/*", "CorsAllowOrigins": "*"`
	for parameters, want := range map[string]string{
		`{` + complete + `}`:                                                                           "",
		`{` + complete + `, "MailFrom": "hush"}`:                                                       "MailFrom",
		`{` + complete + `, "MediaEngine": "bedrock"}`:                                                 "need a MediaModel",
		`{` + complete + `, "MailSender": "a@example.com"}`:                                            `no parameter "MailSender"`,
		`{"BaseUrl": "https://portal.example.com"}`:                                                    `"ImageRepositories" has no Default`,
		`{"BaseUrl": "https://portal.example.com/", "ImageRepositories": "", "CorsAllowOrigins": "*"}`: "BaseUrl",
		`{"BaseUrl": "https://a.test\n", "ImageRepositories": "a", "CorsAllowOrigins": "*"}`:           `"BaseUrl" is invalid`,
		`{"BaseUrl": "https://a.test?x", "ImageRepositories": "a", "CorsAllowOrigins": "*"}`:           `"BaseUrl" is invalid`,
		`["hush"]`: "JSON object",
	} {
		err := checkParameters("../template.yaml", strings.NewReader(parameters))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", parameters, err, want)
		}
	}
}
