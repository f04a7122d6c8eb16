package mediatranscribe

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/transcribe"
	"github.com/aws/aws-sdk-go-v2/service/transcribe/types"

	"portside/shared/media/mediaprompt"
)

// quota is how many vocabularies an account has, unless it has asked for more.
const quota = 100

// patience is how long vocabularies may take without a deadline; with one, it is half of the time that is left.
const patience = 5 * time.Minute

// prepare sees to it that there are vocabularies of the keywords, and waits until they are ready. The recording is worth more
// than the keywords: whatever goes wrong here only means to do without, and a warning says so.
func (w *work) prepare(ctx context.Context) map[types.LanguageCode]string {
	ready, building := map[types.LanguageCode]string{}, []list(nil)
	for _, l := range w.lists {
		state, err := w.ensure(ctx, l)
		switch {
		case err != nil:
			w.options.Ledger.Logger().WarnContext(ctx, "a vocabulary is not made", "error", err)
			w.plain = or(w.plain, "the transcription service takes no more now")
		case state == types.VocabularyStateReady:
			ready[l.code] = l.name
		case state == types.VocabularyStatePending:
			building = append(building, l)
		default:
			w.plain = or(w.plain, "the transcription service refuses them")
		}
	}
	w.awaitReady(ctx, building, ready)
	return ready
}

// awaitReady moves what is built to ready, as long as there is time.
func (w *work) awaitReady(ctx context.Context, building []list, ready map[types.LanguageCode]string) {
	left := patience
	if deadline, set := ctx.Deadline(); set {
		left = time.Until(deadline) / 2
	}
	for n := 0; len(building) > 0; n++ {
		wait := pollAfter(n)
		if left -= wait; left < 0 || !w.fits(ctx, wait) || w.wait(ctx, wait) != nil {
			w.plain = or(w.plain, "it took too long to prepare them; they are prepared for the next recording")
			return
		}
		building = slices.DeleteFunc(building, func(l list) bool {
			state, err := w.state(ctx, l)
			switch {
			case err != nil || state == types.VocabularyStateFailed:
				w.plain = or(w.plain, "the transcription service refuses them")
				return true
			case state == types.VocabularyStateReady:
				ready[l.code] = l.name
				return true
			}
			return false
		})
	}
}

// ensure is the state of the vocabulary, which is made where there is none.
func (w *work) ensure(ctx context.Context, l list) (types.VocabularyState, error) {
	state, err := w.state(ctx, l)
	if !errors.Is(err, errMissing) {
		return state, err
	}
	err = w.create(ctx, l)
	if err != nil && !errors.Is(err, errConflict) { // somebody else has just made it
		return "", err
	}
	return types.VocabularyStatePending, nil
}

// state deletes a vocabulary that failed, so that the next work tries again.
func (w *work) state(ctx context.Context, l list) (types.VocabularyState, error) {
	var out *transcribe.GetVocabularyOutput
	err := w.call(ctx, "GetVocabulary", func() (err error) {
		out, err = w.service.GetVocabulary(ctx, &transcribe.GetVocabularyInput{VocabularyName: &l.name}, once)
		return err
	})
	if err != nil {
		return "", missing(err)
	}
	if out.VocabularyState == types.VocabularyStateFailed {
		return out.VocabularyState, w.deleteVocabulary(ctx, l.name)
	}
	return out.VocabularyState, nil
}

// create makes room before it tries again: that there are too many vocabularies and that there are too many requests is the same
// exception.
func (w *work) create(ctx context.Context, l list) error {
	const operation = "CreateVocabulary"
	input := &transcribe.CreateVocabularyInput{VocabularyName: &l.name, LanguageCode: l.code, Phrases: l.phrases}
	do := func() error {
		_, err := w.service.CreateVocabulary(ctx, input, once)
		return err
	}
	err := failed(ctx, operation, do())
	busy, ok := errors.AsType[*mediaprompt.Busy](err)
	if !ok {
		return err
	}
	if r, refused := errors.AsType[*refusal](busy.Cause); refused && r.code == limited {
		room, err := w.makeRoom(ctx)
		if err != nil || !room {
			return errors.Join(r, err)
		}
	}
	return w.call(ctx, operation, do)
}

// makeRoom deletes the oldest vocabulary of ours if there are as many as an account has. It is false where none can be made
// even so.
func (w *work) makeRoom(ctx context.Context) (bool, error) {
	all, err := w.vocabularies(ctx)
	if err != nil || len(all) < quota {
		return err == nil, err
	}
	all = slices.DeleteFunc(all, func(v types.VocabularyInfo) bool {
		name := aws.ToString(v.VocabularyName)
		needed := slices.ContainsFunc(w.lists, func(l list) bool { return l.name == name })
		return needed || !strings.HasPrefix(name, ours) || v.VocabularyState == types.VocabularyStatePending
	})
	if len(all) == 0 {
		return false, nil
	}
	oldest := slices.MinFunc(all, func(a, b types.VocabularyInfo) int {
		return aws.ToTime(a.LastModifiedTime).Compare(aws.ToTime(b.LastModifiedTime))
	})
	return true, w.deleteVocabulary(ctx, aws.ToString(oldest.VocabularyName))
}

func (w *work) vocabularies(ctx context.Context) ([]types.VocabularyInfo, error) {
	const pages, most = 100, 10_000 // so that a list without an end has one
	var all []types.VocabularyInfo
	input := &transcribe.ListVocabulariesInput{MaxResults: aws.Int32(pages)}
	for len(all) < most {
		var out *transcribe.ListVocabulariesOutput
		err := w.call(ctx, "ListVocabularies", func() (err error) {
			out, err = w.service.ListVocabularies(ctx, input, once)
			return err
		})
		if err != nil {
			return nil, err
		}
		all = append(all, out.Vocabularies...)
		if aws.ToString(out.NextToken) == "" || len(out.Vocabularies) == 0 {
			break
		}
		input.NextToken = out.NextToken
	}
	return all, nil
}

// deleteVocabulary is content with one that is not there.
func (w *work) deleteVocabulary(ctx context.Context, name string) error {
	err := w.call(ctx, "DeleteVocabulary", func() error {
		_, err := w.service.DeleteVocabulary(ctx, &transcribe.DeleteVocabularyInput{VocabularyName: &name}, once)
		return err
	})
	if errors.Is(missing(err), errMissing) {
		return nil
	}
	return err
}
