package secrets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"portside/local/retry"
)

// Steps returns the steps of a rotation in their order.
func Steps() []string { return []string{"createSecret", "setSecret", "testSecret", "finishSecret"} }

// maxAttempts limits the attempts of a rotation, each from the first step. After that, the next
// RotateSecret resumes it.
const maxAttempts = 3

// retryDelay is the time between two attempts.
const retryDelay = 250 * time.Millisecond

type rotateInput struct {
	idInput
	ClientRequestToken string
	RotationLambdaARN  string
	RotationRules      *rules
	RotateImmediately  *bool
}

// rotate begins a rotation and returns. Its steps run in the background.
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

// beginRotation stores the rotation settings and stages a version without a value. If an earlier
// rotation is unfinished, it returns that rotation's version instead. It returns "" if the request
// asks for no immediate rotation. While a rotation is running, it fails and changes nothing.
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
		return found, "", s.writeSecret(found)
	}
	if s.rotating[found.Name] { // nothing is written yet
		return nil, "", refuse("InvalidRequestException", "A rotation of the secret %s is already running.", found.Name)
	}
	version := found.unfinished()
	if version == "" {
		version = in.ClientRequestToken
		s.stagePending(found, version)
	}
	return found, version, s.writeSecret(found)
}

// unfinished returns the version of an unfinished rotation, or "".
func (s *secret) unfinished() string {
	if id := s.holder(pending); !s.isCurrent(id) {
		return id
	}
	return ""
}

// stagePending stages a new version as AWSPENDING. If the version exists, an earlier request had
// the same token.
func (s *Store) stagePending(to *secret, id string) {
	if to.Versions[id] != nil {
		return
	}
	to.Versions[id] = &version{Created: s.config.Now()}
	to.stage(pending, id)
}

// Rotate rotates a secret that has a rotation function, or resumes its unfinished rotation. It runs
// all steps before it returns, and calls log with one line for each step.
func (s *Store) Rotate(ctx context.Context, id, token string, log func(line string)) error {
	found, version, err := s.claimRotation(rotateInput{idInput: idInput{id}, ClientRequestToken: token})
	if r, refused := errors.AsType[*refusal](err); refused && r.kind == errorNotFound {
		return fmt.Errorf("there is no secret %q: create one with `portside manage-token --local DATA`", id)
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
		return nil, "", errors.New("this process cannot invoke rotation functions")
	}
	found, version, err := s.beginRotation(in)
	if err != nil {
		return nil, "", err
	}
	s.rotating[found.Name] = true
	return found, version, nil
}

// runWithRetries runs the steps until they succeed, at most maxAttempts times.
func (s *Store) runWithRetries(ctx context.Context, of *secret, version string, log func(string)) error {
	attempts := 0
	err := retry.Until(ctx, retry.Policy{Delay: retryDelay, Attempts: maxAttempts}, func() (bool, error) {
		if attempts++; attempts > 1 {
			log(of.Name + ": retrying from the first step")
		}
		err := s.runSteps(ctx, of, version, log)
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("the rotation of %s failed; the current version is unchanged unless finishSecret already moved it: %w",
			of.Name, err)
	}
	return nil
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

// checkFinished checks that the function made the new version current.
func (s *Store) checkFinished(name, version string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, err := s.readSecret(name)
	if err != nil {
		return err
	}
	if v := found.Versions[version]; v == nil || !slices.Contains(v.Stages, current) {
		return errors.New("finishSecret did not make the new version AWSCURRENT")
	}
	found.Rotated = s.config.Now()
	return s.writeSecret(found)
}

// cancelRotation turns rotation off and cancels an unfinished rotation. As in the cloud, the
// version keeps AWSPENDING until a caller removes the stage.
func (s *Store) cancelRotation(in idInput) (named, error) {
	found, err := s.findUsable(in.SecretID)
	if err != nil {
		return named{}, err
	}
	found.RotationOn = false
	return named{found.ARN, found.Name, found.unfinished()}, s.writeSecret(found)
}
