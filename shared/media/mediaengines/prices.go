package mediaengines

import "portside/shared/media/mediaprompt"

// ledger knows the prices of the engine's model. Those of another, which only sees, nobody has set.
func (s Settings) ledger(model string) mediaprompt.Ledger {
	if model != s.Model {
		return mediaprompt.Ledger{}
	}
	return mediaprompt.Ledger{Prices: mediaprompt.Prices{Input: price(s.InputPrice), Output: price(s.OutputPrice)}}
}

// minutes knows the price of transcription.
func (s Settings) minutes() mediaprompt.Ledger {
	return mediaprompt.Ledger{Prices: mediaprompt.Prices{Minute: price(s.TranscriptionPrice)}}
}

// price is one that was checked.
func price(text string) mediaprompt.Price {
	p, err := mediaprompt.ParsePrice(text)
	if err != nil {
		return mediaprompt.Price{} // not known
	}
	return p
}

// checkPrices names those that are none. With one price of the two of a model nothing can be said of a call.
func (s Settings) checkPrices() (problems []string) {
	for _, set := range []struct{ name, text string }{
		{"MEDIA_INPUT_PRICE", s.InputPrice}, {"MEDIA_OUTPUT_PRICE", s.OutputPrice}, {"MEDIA_TRANSCRIPTION_PRICE", s.TranscriptionPrice},
	} {
		if _, err := mediaprompt.ParsePrice(set.text); err != nil {
			problems = append(problems, set.name+" "+err.Error())
		}
	}
	if (s.InputPrice == "") != (s.OutputPrice == "") {
		problems = append(problems, "of MEDIA_INPUT_PRICE and MEDIA_OUTPUT_PRICE only one is set")
	}
	return problems
}
