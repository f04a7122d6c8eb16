package start_test

import (
	"testing"

	"portside/shared/lambda/start"
)

func TestSettingsReportEveryProblemAtOnce(t *testing.T) {
	variables := map[string]string{"TABLE": "users", "LIMIT": "12", "DAYS": "-1", "HOURS": "2h", "EMPTY": ""}
	settings := start.NewSettings(func(name string) (string, bool) {
		value, isSet := variables[name]
		return value, isSet
	})
	if got := settings.String("TABLE"); got != "users" {
		t.Errorf("TABLE is %q", got)
	}
	if got := settings.Count("LIMIT"); got != 12 {
		t.Errorf("LIMIT is %d", got)
	}
	if got := settings.Optional("BASE_URL"); got != "" {
		t.Errorf("BASE_URL is %q", got)
	}
	if err := settings.Err(); err != nil {
		t.Fatal(err)
	}
	settings.String("EMPTY")
	settings.Count("DAYS")
	settings.Count("HOURS")
	settings.Count("MISSING")
	const want = "settings: EMPTY is not set, DAYS is not a whole number of 0 or more, " +
		"HOURS is not a whole number of 0 or more, MISSING is not set; template.yaml lists the variables of each function"
	if err := settings.Err(); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
