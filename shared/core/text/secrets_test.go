package text_test

import (
	"strings"
	"testing"

	"portside/shared/core/text"
)

func TestMaskSecrets(t *testing.T) {
	const id, secret = "psk_0123456789ab", "AbC012345678901234567890123456789xyz"
	for given, want := range map[string]string{
		"":                                  "",
		"/v1/users":                         "/v1/users",
		"/v1/users/" + id + "_" + secret:    "/v1/users/" + id + "_…",
		id + "_" + secret + "/a?b=ps":       id + "_…/a?b=ps",
		id + "_" + secret[:3]:               id + "_…",
		id + "_a " + id + "_b":              id + "_… " + id + "_…",
		"pspst_0123456789ab_x":              "pspst_0123456789ab_…",
		id:                                  id,
		id + "_":                            id + "_",
		"psk_short_" + secret:               "psk_short_" + secret,
		"PSK_0123456789ab_x":                "PSK_0123456789ab_x",
		"ps":                                "ps",
		"ps_":                               "ps_",
		"steps_of_maps and https://x":       "steps_of_maps and https://x",
		"\xffpss_0123456789ab_\xff":         "\xffpss_0123456789ab_\xff",
		strings.Repeat("ps", 1000) + id[:5]: strings.Repeat("ps", 1000) + id[:5],
	} {
		if got := text.MaskSecrets(given); got != want {
			t.Errorf("MaskSecrets(%q) is %q, want %q", given, got, want)
		}
	}
}
