package media

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"portside/local/e2e/e2etest"
)

// TestAmountInARecording lets a synthetic voice speak, recognizes the words with Pocketsphinx, and extracts an amount.
// The recognizer is real and makes mistakes, so the voice and the sentences are ones that it understands.
func TestAmountInARecording(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "minutes.wav")
	const spoken = "This is the first meeting of the year. [[_:]] [[_:]] The total amount is forty thousand dollars."
	command := exec.CommandContext(t.Context(), "espeak-ng", "-v", "en-gb", "-s", "140", "-w", recording, spoken)
	command.Stderr = t.Output()
	if err := command.Run(); err != nil {
		t.Fatalf("make clients installs espeak-ng: %v", err)
	}
	sound, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(e2etest.Repository)
	if err != nil {
		t.Fatal(err)
	}
	python := filepath.Join(root, ".local", "speech", "bin", "python")
	if _, err := os.Stat(python); err != nil {
		t.Fatalf("make clients installs Pocketsphinx: %v", err)
	}
	p := startWith(t, map[string]string{"TranscriberCommand": python + " " + filepath.Join(root, "docs", "media",
		"transcribe.py")})
	answer := p.Admin(t).Form(e2etest.ExtractMedia+"?include=evidence,text", map[string]string{
		"variable1_name": "total", "variable1_type": "number", "variable1_description": "total amount",
	}, e2etest.File("file", string(sound))).WantStatus(http.StatusOK).WantValue("extracted_data.total", 40_000)
	const silence = 2.0 // seconds after which the second sentence begins
	if at, _ := answer.JSON("evidence.total.0.time").(float64); at < silence {
		t.Errorf("the amount is said at %v s: %s", at, answer.Body)
	}
}
