package secrets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Steps are what a rotation consists of, in this order.
func Steps() []string { return []string{"createSecret", "setSecret", "testSecret", "finishSecret"} }

// maxRotationTries is how often a rotation begins anew at its first step before it is left for the next RotateSecret.
const maxRotationTries = 3

// retryDelay is the time between two tries.
const retryDelay = 250 * time.Millisecond

type rotateInput struct {
	idInput
	ClientRequestToken string
	RotationLambdaARN  string
	RotationRules      *rules
	RotateImmediately  *bool
}

// rotate begins a rotation and returns; its steps are taken afterwards.
func (s *Store) rotate(in rotateInput) (named, error) {
	found, version, err := s.beginRotation(in)
	if err != nil || version == "" {
		return named{ARN: found.arnOrEmpty(), Name: found.nameOrEmpty()}, err
	}
	if s.config.Invoke != nil && !found.isCurrent(version) {
		s.rotating[found.Name] = true
		s.running.Go(func() {
			defer s.endRotation(found.Name)
			if err := s.runWithRetries(s.ctx, found, version, s.config.Log); err != nil {
				s.config.Log(err.Error())
			}
		})
	}
	return named{found.ARN, found.Name, version}, nil
}

func (s *secret) arnOrEmpty() string {
	if s == nil {
		return ""
	}
	return s.ARN
}

func (s *secret) nameOrEmpty() string {
	if s == nil {
		return ""
	}
	return s.Name
}

func (s *secret) isCurrent(version string) bool { return s.holder(current) == version }

func (s *Store) endRotation(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.rotating, name)
}

// beginRotation notes how the secret is rotated, and stages a version without a value unless one is there from a rotation that is
// unfinished. The version is empty where no rotation is wanted now. One that is at work is an error, and nothing is noted.
func (s *Store) beginRotation(in rotateInput) (*secret, string, error) {
	found, err := s.findUsable(in.SecretID)
	if err != nil {
		return nil, "", err
	}
	if err := checkToken(in.ClientRequestToken); err != nil {
		return nil, "", err
	}
	if in.RotationLambdaARN != "" {
		found.Function = in.RotationLambdaARN
	}
	if found.Function == "" {
		return nil, "", refuse("InvalidRequestException", "No Lambda rotation function ARN is associated with this secret.")
	}
	if in.RotationRules != nil {
		found.Rules = in.RotationRules
	}
	found.RotationOn = true
	if in.RotateImmediately != nil && !*in.RotateImmediately {
		return found, "", s.write(found)
	}
	if s.rotating[found.Name] { // before anything is written
		return nil, "", refuse("InvalidRequestException", "The secret %s is being rotated at this moment.", found.Name)
	}
	version := found.unfinished()
	if version == "" {
		version = in.ClientRequestToken
		s.stagePending(found, version)
	}
	return found, version, s.write(found)
}

// unfinished returns the version that a rotation works on, or "".
func (s *secret) unfinished() string {
	if id := s.holder(pending); !s.isCurrent(id) {
		return id
	}
	return ""
}

// stagePending stages a new version; one that is there already is that of an earlier request with the same token.
func (s *Store) stagePending(to *secret, id string) {
	if to.Versions[id] != nil {
		return
	}
	to.Versions[id] = &version{Created: s.config.Now()}
	to.stage(pending, id)
}

// Rotate takes up the unfinished rotation of a secret that has a function, or begins one, and takes its steps before it
// returns. It says a line for each.
func (s *Store) Rotate(ctx context.Context, id, token string, log func(line string)) error {
	found, version, err := s.claimRotation(rotateInput{idInput: idInput{id}, ClientRequestToken: token})
	if r, refused := errors.AsType[*refusal](err); refused && r.kind == errorNotFound {
		return fmt.Errorf("there is no secret %q: make one with `portside manage-token`", id)
	}
	if err != nil {
		return err
	}
	defer s.endRotation(found.Name)
	return s.runWithRetries(ctx, found, version, log)
}

func (s *Store) claimRotation(in rotateInput) (*secret, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.config.Invoke == nil {
		return nil, "", errors.New("there is no function to rotate secrets with")
	}
	found, version, err := s.beginRotation(in)
	if err != nil {
		return nil, "", err
	}
	s.rotating[found.Name] = true
	return found, version, nil
}

// runWithRetries tries the rotation until it succeeds, or often enough.
func (s *Store) runWithRetries(ctx context.Context, of *secret, version string, log func(string)) error {
	var err error
	for try := range maxRotationTries {
		if try > 0 {
			if waitErr := wait(ctx, retryDelay); waitErr != nil {
				return errors.Join(err, waitErr)
			}
			log(of.Name + ": trying again, from the first step")
		}
		if err = s.runSteps(ctx, of, version, log); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s is not rotated; its current version is as it was unless finishSecret came that far: %w", of.Name, err)
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

func (s *Store) runSteps(ctx context.Context, of *secret, version string, log func(string)) error {
	function := of.Function[strings.LastIndexByte(of.Function, ':')+1:]
	for _, step := range Steps() {
		event, err := json.Marshal(map[string]string{"Step": step, "SecretId": of.ARN, "ClientRequestToken": version})
		if err != nil {
			return err
		}
		if err := s.config.Invoke(ctx, function, event); err != nil {
			log(of.Name + ": " + step + " failed: " + err.Error())
			return fmt.Errorf("%s: %w", step, err)
		}
		log(of.Name + ": " + step + " done")
	}
	return s.checkFinished(of.Name, version)
}

// checkFinished checks what the function was to bring about.
func (s *Store) checkFinished(name, version string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, err := s.read(name)
	if err != nil {
		return err
	}
	if v := found.Versions[version]; v == nil || !slices.Contains(v.Stages, current) {
		return errors.New("finishSecret did not make the new version AWSCURRENT")
	}
	found.Rotated = s.config.Now()
	return s.write(found)
}

// cancelRotation turns rotation off and gives up one that is unfinished. As in the cloud its version keeps AWSPENDING
// until somebody takes the stage away.
func (s *Store) cancelRotation(in idInput) (named, error) {
	found, err := s.findUsable(in.SecretID)
	if err != nil {
		return named{}, err
	}
	found.RotationOn = false
	return named{found.ARN, found.Name, found.unfinished()}, s.write(found)
}
