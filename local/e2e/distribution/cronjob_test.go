package distribution

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCronJobManifest checks that the script has every setting of the manifest, and that the Role
// is for the configured Secret.
func TestCronJobManifest(t *testing.T) {
	manifest, err := os.ReadFile(filepath.Join(filepath.Dir(renewScript), "cronjob.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(renewScript)
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for _, match := range regexp.MustCompile(`- \{ name: ([A-Z_]+), value: "?([^" ]+)"? \}`).
		FindAllStringSubmatch(string(manifest), -1) {
		settings[match[1]] = match[2]
		if match[1] != "HOME" && !strings.Contains(string(script), "\n#   "+match[1]+" ") {
			t.Errorf("the script has no setting %s", match[1])
		}
	}
	if want := "resourceNames: [" + settings["KUBE_SECRET"] + "]"; len(settings) != 5 ||
		!strings.Contains(string(manifest), want) {
		t.Errorf("settings %v, and no %q", settings, want)
	}
}
