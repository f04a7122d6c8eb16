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
		"PSK_0123456789AB_X":                "PSK_0123456789AB_…",
		"/psk%5F0123456789ab%5fx/y":         "/psk%5F0123456789ab%5f…/y",
		"/psk%255F0123456789ab%25255Fx":     "/psk%255F0123456789ab%25255F…",
		id + "_x" + id + "_y/z":             id + "_…" + id + "_…/z",
		id + "_" + secret + id + "_x":       id + "_…" + id + "_…",
		id + "_" + id + "_x":                id + "_" + id + "_…",
		"psk_012345678" + id + "_x":         "psk_012345678psk_…",
		id + "__x":                          id + "_…",
		id + "_%41":                         id + "_…",
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
