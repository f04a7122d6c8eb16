package mediaengines

import "portside/shared/media/mediaprompt"

// modelCallLog returns a call log with the prices of the engine's model. There are no settings for the prices
// of another vision model.
func (s Settings) modelCallLog(model string) mediaprompt.CallLog {
	if model != s.Model {
		return mediaprompt.CallLog{}
	}
	return mediaprompt.CallLog{Prices: mediaprompt.Prices{Input: parsePrice(s.InputPrice), Output: parsePrice(s.OutputPrice)}}
}

// transcriptionCallLog returns a call log with the price of transcription.
func (s Settings) transcriptionCallLog() mediaprompt.CallLog {
	return mediaprompt.CallLog{Prices: mediaprompt.Prices{Minute: parsePrice(s.TranscriptionPrice)}}
}

// parsePrice parses a price that checkPrices has accepted.
func parsePrice(text string) mediaprompt.Price {
	p, err := mediaprompt.ParsePrice(text)
	if err != nil {
		return mediaprompt.Price{} // unknown
	}
	return p
}

// checkPrices reports wrong prices. A model needs both of its prices, because the cost of a call
// depends on both.
func (s Settings) checkPrices() (problems []string) {
	for _, set := range []struct{ name, text string }{
		{"MEDIA_INPUT_PRICE", s.InputPrice}, {"MEDIA_OUTPUT_PRICE", s.OutputPrice}, {"MEDIA_TRANSCRIPTION_PRICE", s.TranscriptionPrice},
	} {
		if _, err := mediaprompt.ParsePrice(set.text); err != nil {
			problems = append(problems, set.name+" "+err.Error())
		}
	}
	if (s.InputPrice == "") != (s.OutputPrice == "") {
		problems = append(problems, "MEDIA_INPUT_PRICE and MEDIA_OUTPUT_PRICE must be set together")
	}
	return problems
}
