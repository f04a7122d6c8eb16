package main

import "portside/shared/lambda/start"

// hasSpeech reports whether the service reads recordings without subtitles. If it does not, the page Media says so. A
// test compares it with mediaengines, which the portal does not import, because it would slow down every cold start.
func hasSpeech(settings *start.Settings) bool {
	engine := settings.Optional("MEDIA_ENGINE")
	return engine == "bedrock" || engine == "openai" || settings.Optional("TRANSCRIBER_COMMAND") != ""
}
