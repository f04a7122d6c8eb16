package seals

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// VerifyEnd is a quick check that reads one or two objects: that the newest recorded object exists, and that the chain
// still has the kept head, unless that is zero. It does not check the objects between them or the table; Verify does.
func (v Verifier) VerifyEnd(ctx context.Context, kept Head) (Report, error) {
	newest, err := v.Record.Newest(ctx)
	if errors.Is(err, ErrMissing) {
		run := &verification{Verifier: v}
		err = run.finishWithoutSeals(ctx)
		run.report.Finding = kept.finding(Seal{})
		return run.report, err
	}
	if err != nil {
		return Report{}, err
	}
	report := Report{Last: newest.Hour, Objects: 1, Newest: newest, Age: v.Now().Sub(newest.Hour.End())}
	for _, head := range []Head{newest.Head(), kept} {
		if head.Hash != "" && report.Finding == nil && err == nil {
			report.Finding, err = v.verifyHead(ctx, head)
		}
	}
	return report, err
}

// verifyHead checks that the object of a head exists and ends with its hash.
func (v Verifier) verifyHead(ctx context.Context, head Head) (*Finding, error) {
	content, err := readObject(ctx, v.Objects, head.key())
	if errors.Is(err, ErrMissing) {
		return &Finding{Problem: Removed, Object: head.key(), Detail: missingObject}, nil
	}
	if err != nil {
		return nil, err
	}
	if end, err := checkObject(content, head.before(content)); err == nil && end.Hash == head.Hash {
		return nil, nil //nolint:nilnil // nil means that nothing is wrong
	}
	detail := fmt.Sprintf("it does not end with the hash %s, which the record of the newest seal or the kept head has",
		head.Hash)
	return &Finding{Problem: Changed, Object: head.key(), Detail: detail}, nil
}

// before returns the seal before the object of the head. It takes the hash from the first line of the object.
func (h Head) before(content []byte) Seal {
	at := before(h.Hour)
	if h.Part > 1 {
		at = Seal{Hour: h.Hour, Part: h.Part - 1}
	}
	first, _, _ := bytes.Cut(content[:min(len(content), maxHeader)], []byte("\n"))
	if l, _, err := parseLine(strings.TrimSpace(string(first))); err == nil {
		form, _ := decodeLine[header](l) // checkObject reports a wrong header
		at.Hash = form.Previous
	}
	return at
}

// maxHeader is more than the length of the first line.
const maxHeader = 1 << 10
