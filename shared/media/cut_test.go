package media

import "testing"

func TestAWarningDoesNotSayThatNothingWasRead(t *testing.T) {
	const want = "Only a part of the file could be read, 1 KB of text. The file is damaged or cut short."
	if got := cut(60, ErrDamaged); got != want {
		t.Errorf("got %s", got)
	}
}
