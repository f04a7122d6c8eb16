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

// maxVocabularies is the default quota of an account.
const maxVocabularies = 100

// vocabularyTimeout limits the wait for vocabularies if the context has no deadline. With a deadline,
// the limit is half of the time that is left.
const vocabularyTimeout = 5 * time.Minute

// prepareVocabularies creates the vocabularies of the keywords and waits until they are ready. If
// anything fails, the recording is transcribed without keywords, and a warning says so.
func (w *work) prepareVocabularies(ctx context.Context) map[types.LanguageCode]string {
	ready, building := map[types.LanguageCode]string{}, []vocabulary(nil)
	for _, l := range w.vocabularies {
		state, err := w.ensureVocabulary(ctx, l)
		switch {
		case err != nil:
			w.options.CallLog.Logger().WarnContext(ctx, "a vocabulary cannot be created", "error", err)
			w.unusedReason = orDefault(w.unusedReason, "the transcription service accepts no more at the moment")
		case state == types.VocabularyStateReady:
			ready[l.code] = l.name
		case state == types.VocabularyStatePending:
			building = append(building, l)
		default:
			w.unusedReason = orDefault(w.unusedReason, "the transcription service rejects them")
		}
	}
	w.waitForVocabularies(ctx, building, ready)
	return ready
}

// waitForVocabularies adds vocabularies to ready when they are built, as long as there is time.
func (w *work) waitForVocabularies(ctx context.Context, building []vocabulary, ready map[types.LanguageCode]string) {
	left := vocabularyTimeout
	if deadline, ok := ctx.Deadline(); ok {
		left = time.Until(deadline) / 2
	}
	for n := 0; len(building) > 0; n++ {
		wait := pollInterval(n)
		if left -= wait; left < 0 || !w.hasTimeFor(ctx, wait) || w.wait(ctx, wait) != nil {
			w.unusedReason = orDefault(w.unusedReason, "it took too long to prepare them; they are prepared for the next recording")
			return
		}
		building = slices.DeleteFunc(building, func(l vocabulary) bool {
			state, err := w.vocabularyState(ctx, l)
			switch {
			case err != nil || state == types.VocabularyStateFailed:
				w.unusedReason = orDefault(w.unusedReason, "the transcription service rejects them")
				return true
			case state == types.VocabularyStateReady:
				ready[l.code] = l.name
				return true
			}
			return false
		})
	}
}

// ensureVocabulary returns the state of the vocabulary. It creates the vocabulary if there is none.
func (w *work) ensureVocabulary(ctx context.Context, l vocabulary) (types.VocabularyState, error) {
	state, err := w.vocabularyState(ctx, l)
	if !errors.Is(err, errMissing) {
		return state, err
	}
	err = w.createVocabulary(ctx, l)
	if err != nil && !errors.Is(err, errConflict) { // on a conflict, another caller has just created it
		return "", err
	}
	return types.VocabularyStatePending, nil
}

// vocabularyState returns the state of the vocabulary. It deletes one that failed, so that the next
// work tries again.
func (w *work) vocabularyState(ctx context.Context, l vocabulary) (types.VocabularyState, error) {
	var out *transcribe.GetVocabularyOutput
	err := w.call(ctx, "GetVocabulary", func() (err error) {
		out, err = w.service.GetVocabulary(ctx, &transcribe.GetVocabularyInput{VocabularyName: &l.name}, withoutRetries)
		return err
	})
	if err != nil {
		return "", asMissing(err)
	}
	if out.VocabularyState == types.VocabularyStateFailed {
		return out.VocabularyState, w.deleteVocabulary(ctx, l.name)
	}
	return out.VocabularyState, nil
}

// createVocabulary deletes an old vocabulary before it retries, because the service returns the same
// exception for too many vocabularies as for too many requests.
func (w *work) createVocabulary(ctx context.Context, l vocabulary) error {
	const operation = "CreateVocabulary"
	input := &transcribe.CreateVocabularyInput{VocabularyName: &l.name, LanguageCode: l.code, Phrases: l.phrases}
	create := func() error {
		_, err := w.service.CreateVocabulary(ctx, input, withoutRetries)
		return err
	}
	err := errorOf(ctx, operation, create())
	busy, ok := errors.AsType[*mediaprompt.Busy](err)
	if !ok {
		return err
	}
	if exc, isException := errors.AsType[*exception](busy.Cause); isException && exc.code == limited {
		hasRoom, err := w.makeRoom(ctx)
		if err != nil || !hasRoom {
			return errors.Join(exc, err)
		}
	}
	return w.call(ctx, operation, create)
}

// makeRoom deletes our oldest vocabulary if the account has reached its quota. It returns false if
// there is still no room.
func (w *work) makeRoom(ctx context.Context) (bool, error) {
	all, err := w.listVocabularies(ctx)
	if err != nil || len(all) < maxVocabularies {
		return err == nil, err
	}
	all = slices.DeleteFunc(all, func(v types.VocabularyInfo) bool {
		name := aws.ToString(v.VocabularyName)
		needed := slices.ContainsFunc(w.vocabularies, func(l vocabulary) bool { return l.name == name })
		return needed || !strings.HasPrefix(name, w.namePrefix()) || v.VocabularyState == types.VocabularyStatePending
	})
	if len(all) == 0 {
		return false, nil
	}
	oldest := slices.MinFunc(all, func(a, b types.VocabularyInfo) int {
		return aws.ToTime(a.LastModifiedTime).Compare(aws.ToTime(b.LastModifiedTime))
	})
	return true, w.deleteVocabulary(ctx, aws.ToString(oldest.VocabularyName))
}

func (w *work) listVocabularies(ctx context.Context) ([]types.VocabularyInfo, error) {
	const pageSize, maxListed = 100, 10_000 // the second limits a list without an end
	var all []types.VocabularyInfo
	input := &transcribe.ListVocabulariesInput{MaxResults: aws.Int32(pageSize)}
	for len(all) < maxListed {
		var out *transcribe.ListVocabulariesOutput
		err := w.call(ctx, "ListVocabularies", func() (err error) {
			out, err = w.service.ListVocabularies(ctx, input, withoutRetries)
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

// deleteVocabulary deletes a vocabulary. It returns no error if there is none.
func (w *work) deleteVocabulary(ctx context.Context, name string) error {
	err := w.call(ctx, "DeleteVocabulary", func() error {
		_, err := w.service.DeleteVocabulary(ctx, &transcribe.DeleteVocabularyInput{VocabularyName: &name}, withoutRetries)
		return err
	})
	if errors.Is(asMissing(err), errMissing) {
		return nil
	}
	return err
}
