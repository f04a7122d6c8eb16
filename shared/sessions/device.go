package sessions

import "strings"

// names are the dependencies of a User-Agent header that identify a browser or system, and their names. The first match
// counts, because browsers also name those that they are compatible with.
type names []struct{ part, name string }

var (
	browsers = names{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"Chrome/", "Chrome"}, {"CriOS/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"},
	}
	systems = names{
		{"Windows", "Windows"}, {"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"CrOS", "ChromeOS"},
		{"Macintosh", "macOS"}, {"Linux", "Linux"},
	}
)

// DeviceOf describes the browser of a User-Agent header, such as "Firefox on Windows". It contains no text of the
// header.
func DeviceOf(userAgent string) string {
	browser, system := browsers.firstMatch(userAgent), systems.firstMatch(userAgent)
	switch {
	case browser == "" && system == "":
		return "Unknown device"
	case system == "":
		return browser
	case browser == "":
		return "A browser on " + system
	default:
		return browser + " on " + system
	}
}

func (n names) firstMatch(text string) string {
	for _, known := range n {
		if strings.Contains(text, known.part) {
			return known.name
		}
	}
	return ""
}
