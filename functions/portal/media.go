package main

import (
	"strings"

	"portside/shared/lambda/start"
)

// modelMedia returns which files the service reads although only a model can: pictures, and the speech of recordings.
// The page Media offers no others. A test compares it with mediaengines, which the portal does not import, because it
// would slow down every cold start.
func modelMedia(settings *start.Settings) string {
	engine := settings.Optional("MEDIA_ENGINE")
	hasServer := engine == "bedrock" || engine == "openai"
	var kinds []string
	if settings.Optional("MEDIA_READER") == "textract" || hasServer && settings.Optional("MEDIA_VISION_MODEL") != "" {
		kinds = append(kinds, "pictures")
	}
	if hasServer || settings.Optional("TRANSCRIBER_COMMAND") != "" {
		kinds = append(kinds, "speech")
	}
	return strings.Join(kinds, " ")
}
