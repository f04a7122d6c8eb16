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

// maxVocabularies is the default quota of an account, and maxShare is how many of these one customer may have: those of
// four recordings of unknown language. Recordings that are prepared at the same moment can exceed it.
const (
	maxVocabularies = 100
	maxShare        = 20
)

// errShareUsed means that the customer's other recordings need the whole share.
var errShareUsed = errors.New("transcribe: the customer has reached its share of vocabularies")

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
		case errors.Is(err, errShareUsed):
			w.unusedReason = orDefault(w.unusedReason, "the keywords of your other recordings are being prepared; send it again in some minutes")
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

// ensureVocabulary returns the state of the vocabulary. It creates the vocabulary if it does not exist.
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

// createVocabulary creates a vocabulary, and before that deletes old ones of the customer that exceed its share. It
// deletes an old one before it retries, because the service returns the same exception for too many vocabularies as for
// too many requests. Errors: errShareUsed.
func (w *work) createVocabulary(ctx context.Context, l vocabulary) error {
	const operation = "CreateVocabulary"
	if err := w.keepShare(ctx); err != nil {
		return err
	}
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

// keepShare makes room for one more vocabulary in the customer's share. Errors: errShareUsed if all of the share are
// needed now.
func (w *work) keepShare(ctx context.Context) error {
	own, err := w.listVocabularies(ctx, w.customerPrefix(w.recording.Customer))
	excess := len(own) - maxShare + 1
	if err != nil || excess <= 0 {
		return err
	}
	deleted, err := w.deleteOldest(ctx, own, excess)
	if err == nil && deleted < excess {
		err = errShareUsed
	}
	return err
}

// makeRoom deletes one of our vocabularies if the account has reached its quota: the oldest of those whose customers
// have the most, and never one of a customer with fewer than this one. It returns false if there is still no room.
func (w *work) makeRoom(ctx context.Context) (bool, error) {
	all, err := w.listVocabularies(ctx, "")
	if err != nil || len(all) < maxVocabularies {
		return err == nil, err
	}
	counts := map[string]int{w.customerPrefix(w.recording.Customer): 1} // with the new one
	for _, v := range all {
		counts[prefixOf(v)]++
	}
	fewest := counts[w.customerPrefix(w.recording.Customer)]
	all = slices.DeleteFunc(all, func(v types.VocabularyInfo) bool { return !w.mayDelete(v) || counts[prefixOf(v)] < fewest })
	most := 0
	for _, v := range all {
		most = max(most, counts[prefixOf(v)])
	}
	all = slices.DeleteFunc(all, func(v types.VocabularyInfo) bool { return counts[prefixOf(v)] < most })
	deleted, err := w.deleteOldest(ctx, all, 1)
	return deleted > 0, err
}

// prefixOf returns the customerPrefix of a vocabulary's customer.
func prefixOf(v types.VocabularyInfo) string {
	name := aws.ToString(v.VocabularyName)
	return name[:strings.LastIndex(name, "_")+1]
}

// mayDelete reports whether a vocabulary is ours, complete, and not for this recording.
func (w *work) mayDelete(v types.VocabularyInfo) bool {
	name := aws.ToString(v.VocabularyName)
	isNeeded := slices.ContainsFunc(w.vocabularies, func(l vocabulary) bool { return l.name == name })
	return !isNeeded && strings.HasPrefix(name, w.namePrefix()) && v.VocabularyState != types.VocabularyStatePending
}

// deleteOldest deletes the oldest vocabularies of a list that may be deleted, at most n.
func (w *work) deleteOldest(ctx context.Context, list []types.VocabularyInfo, n int) (deleted int, err error) {
	list = slices.DeleteFunc(list, func(v types.VocabularyInfo) bool { return !w.mayDelete(v) })
	slices.SortFunc(list, func(a, b types.VocabularyInfo) int {
		return aws.ToTime(a.LastModifiedTime).Compare(aws.ToTime(b.LastModifiedTime))
	})
	for _, oldest := range list[:min(n, len(list))] {
		if err := w.deleteVocabulary(ctx, aws.ToString(oldest.VocabularyName)); err != nil {
			return deleted, err
		}
		deleted++
	}
	return deleted, nil
}

// listVocabularies returns the vocabularies of the account, or those whose names contain a text.
func (w *work) listVocabularies(ctx context.Context, contains string) ([]types.VocabularyInfo, error) {
	const pageSize, maxListed = 100, 10_000 // the second limits a list without an end
	var all []types.VocabularyInfo
	input := &transcribe.ListVocabulariesInput{MaxResults: aws.Int32(pageSize)}
	if contains != "" {
		input.NameContains = &contains
	}
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

// deleteVocabulary deletes a vocabulary. It returns no error if the vocabulary does not exist.
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
