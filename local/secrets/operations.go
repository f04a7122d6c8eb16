package secrets

import (
	"errors"
	"maps"
	"os"
	"slices"
	"time"
)

// Inputs and outputs have the service's members, without those that Portside does not use.
type (
	idInput struct {
		SecretID string `json:"SecretId"`
	}

	valueInput struct {
		ClientRequestToken string
		SecretString       *string
		SecretBinary       []byte
	}

	createInput struct {
		Name, Description string
		valueInput
	}

	putInput struct {
		idInput
		valueInput
		VersionStages []string
	}

	getInput struct {
		idInput
		VersionID    string `json:"VersionId"`
		VersionStage string
	}

	moveInput struct {
		idInput
		VersionStage        string
		MoveToVersionID     string `json:"MoveToVersionId"`
		RemoveFromVersionID string `json:"RemoveFromVersionId"`
	}

	listInput struct {
		idInput
		IncludeDeprecated bool
	}

	deleteInput struct {
		idInput
		ForceDeleteWithoutRecovery bool
		RecoveryWindowInDays       int
	}

	named struct {
		ARN, Name string
		VersionID string `json:"VersionId,omitempty"`
	}

	putOutput struct {
		named
		VersionStages []string
	}

	getOutput struct {
		putOutput
		SecretString *string       `json:",omitempty"`
		SecretBinary []byte        `json:",omitempty"`
		CreatedDate  *epochSeconds `json:",omitempty"`
	}

	describeOutput struct {
		ARN, Name          string
		Description        string              `json:",omitempty"`
		RotationEnabled    bool                `json:",omitempty"`
		RotationLambdaARN  string              `json:",omitempty"`
		RotationRules      *rules              `json:",omitempty"`
		LastRotatedDate    *epochSeconds       `json:",omitempty"`
		LastChangedDate    *epochSeconds       `json:",omitempty"`
		CreatedDate        *epochSeconds       `json:",omitempty"`
		DeletedDate        *epochSeconds       `json:",omitempty"`
		VersionIDsToStages map[string][]string `json:"VersionIdsToStages,omitempty"`
	}

	listed struct {
		VersionID     string        `json:"VersionId"`
		VersionStages []string      `json:",omitempty"`
		CreatedDate   *epochSeconds `json:",omitempty"`
	}

	listOutput struct {
		ARN, Name string
		Versions  []listed
	}

	deleteOutput struct {
		ARN, Name    string
		DeletionDate *epochSeconds
	}
)

// findUsable is find, but refuses a secret that is marked for deletion.
func (s *Store) findUsable(id string) (*secret, error) {
	found, err := s.find(id)
	if err == nil && !found.Deleted.IsZero() {
		return nil, refuse("InvalidRequestException",
			"You can't perform this operation on the secret because it was marked for deletion.")
	}
	return found, err
}

const maxValueBytes = 65536

func (in valueInput) value() value { return value{in.SecretString, in.SecretBinary} }

// check validates an input that has a value. Operations with an optional value call it only if
// there is one.
func (in valueInput) check() error {
	switch {
	case (in.SecretString == nil) == (in.SecretBinary == nil):
		return refuse("InvalidParameterException", "You must provide either SecretString or SecretBinary, and not both.")
	case len(in.SecretBinary) > maxValueBytes || in.SecretString != nil && len(*in.SecretString) > maxValueBytes:
		return refuse("InvalidParameterException", "The secret value is longer than %d bytes.", maxValueBytes)
	}
	return checkToken(in.ClientRequestToken)
}

func checkToken(token string) error {
	if len(token) < 32 || len(token) > 64 {
		return refuse("InvalidParameterException", "ClientRequestToken must be 32-64 characters long.")
	}
	return nil
}

func (s *Store) create(in createInput) (named, error) {
	if !validName(in.Name) {
		return named{}, refuse("ValidationException", "Invalid name. Must be a valid name containing alphanumeric characters, "+
			"or any of the following: -/_+=.@! and, on a laptop, at most %d characters.", maxNameBytes)
	}
	valued := !in.value().empty()
	if valued {
		if err := in.check(); err != nil {
			return named{}, err
		}
	}
	existing, err := s.readSecret(in.Name)
	if err == nil {
		return existing.repeatCreate(in)
	}
	if !errors.Is(err, os.ErrNotExist) {
		return named{}, err
	}
	made := &secret{
		Name: in.Name, ARN: s.arn(in.Name), Description: in.Description, Created: s.config.Now(),
		Versions: map[string]*version{},
	}
	if valued {
		s.addVersion(made, in.valueInput, nil)
		return named{made.ARN, made.Name, in.ClientRequestToken}, s.writeSecret(made)
	}
	return named{ARN: made.ARN, Name: made.Name}, s.writeSecret(made)
}

// repeatCreate answers a repetition of the request that created the secret, and refuses any other
// request.
func (s *secret) repeatCreate(in createInput) (named, error) {
	if v := s.Versions[in.ClientRequestToken]; v != nil && s.Deleted.IsZero() && v.equal(in.value()) {
		return named{s.ARN, s.Name, in.ClientRequestToken}, nil
	}
	return named{}, refuse("ResourceExistsException", "The operation failed because the secret %s already exists.", s.Name)
}

func (s *Store) put(in putInput) (putOutput, error) {
	if err := in.check(); err != nil {
		return putOutput{}, err
	}
	found, err := s.findUsable(in.SecretID)
	if err != nil {
		return putOutput{}, err
	}
	if v := found.Versions[in.ClientRequestToken]; v != nil && !v.empty() {
		if !v.equal(in.value()) {
			return putOutput{}, refuse("ResourceExistsException",
				"You can't use ClientRequestToken %s because that value is already in use for a version of secret %s.",
				in.ClientRequestToken, found.ARN)
		}
		return putOutput{named{found.ARN, found.Name, in.ClientRequestToken}, v.Stages}, nil
	}
	made := s.addVersion(found, in.valueInput, in.VersionStages)
	return putOutput{named{found.ARN, found.Name, in.ClientRequestToken}, made.Stages}, s.writeSecret(found)
}

// addVersion adds a version, or sets the value of a version that a rotation has staged. A secret's
// first version becomes AWSCURRENT.
func (s *Store) addVersion(to *secret, in valueInput, stages []string) *version {
	v := to.Versions[in.ClientRequestToken]
	if v == nil {
		v = &version{Created: s.config.Now()}
		to.Versions[in.ClientRequestToken] = v
	}
	v.value = in.value()
	if len(stages) == 0 || to.holder(current) == "" {
		stages = append(slices.Clone(stages), current)
	}
	for _, stage := range stages {
		to.stage(stage, in.ClientRequestToken)
	}
	return v
}

func (s *Store) get(in getInput) (getOutput, error) {
	found, err := s.findUsable(in.SecretID)
	if err != nil {
		return getOutput{}, err
	}
	id, wanted := in.VersionID, "VersionId: "+in.VersionID
	if id == "" {
		stage := in.VersionStage
		if stage == "" {
			stage = current
		}
		id, wanted = found.holder(stage), "staging label: "+stage
	}
	v := found.Versions[id]
	if v == nil || v.empty() {
		return getOutput{}, refuse(errorNotFound, "Secrets Manager can't find the specified secret value for %s", wanted)
	}
	if in.VersionStage != "" && !slices.Contains(v.Stages, in.VersionStage) {
		return getOutput{}, refuse("InvalidRequestException", "The version doesn't have the staging label %s.",
			in.VersionStage)
	}
	return getOutput{
		putOutput{named{found.ARN, found.Name, id}, v.Stages}, v.Text, v.Binary, optionalTime(v.Created),
	}, nil
}

func (s *Store) describe(in idInput) (describeOutput, error) {
	found, err := s.find(in.SecretID)
	if err != nil {
		return describeOutput{}, err
	}
	stages := map[string][]string{}
	for id, v := range found.Versions {
		if len(v.Stages) > 0 {
			stages[id] = v.Stages
		}
	}
	return describeOutput{
		ARN: found.ARN, Name: found.Name, Description: found.Description,
		RotationEnabled: found.RotationOn, RotationLambdaARN: found.Function, RotationRules: found.Rules,
		LastRotatedDate: optionalTime(found.Rotated), LastChangedDate: optionalTime(found.Changed),
		CreatedDate: optionalTime(found.Created), DeletedDate: optionalTime(found.Deleted), VersionIDsToStages: stages,
	}, nil
}

func (s *Store) list(in listInput) (listOutput, error) {
	found, err := s.findUsable(in.SecretID)
	if err != nil {
		return listOutput{}, err
	}
	out := listOutput{ARN: found.ARN, Name: found.Name, Versions: []listed{}}
	for _, id := range slices.Sorted(maps.Keys(found.Versions)) {
		v := found.Versions[id]
		if len(v.Stages) > 0 || in.IncludeDeprecated {
			out.Versions = append(out.Versions, listed{id, v.Stages, optionalTime(v.Created)})
		}
	}
	return out, nil
}

func (s *Store) moveStage(in moveInput) (named, error) {
	found, err := s.findUsable(in.SecretID)
	if err != nil {
		return named{}, err
	}
	if err := found.checkMove(in); err != nil {
		return named{}, err
	}
	if in.MoveToVersionID == "" {
		found.unstage(in.VersionStage)
	} else {
		found.stage(in.VersionStage, in.MoveToVersionID)
	}
	return named{ARN: found.ARN, Name: found.Name}, s.writeSecret(found)
}

// checkMove refuses a move whose caller does not name the version that has the stage.
func (s *secret) checkMove(in moveInput) error {
	holder := s.holder(in.VersionStage)
	switch {
	case in.VersionStage == "" || in.MoveToVersionID == "" && in.RemoveFromVersionID == "":
		return refuse("InvalidParameterException",
			"VersionStage and one of MoveToVersionId and RemoveFromVersionId are needed.")
	case in.MoveToVersionID != "" && s.Versions[in.MoveToVersionID] == nil:
		return refuse(errorNotFound, "Secrets Manager can't find the specified secret version.")
	case in.VersionStage == current && in.MoveToVersionID == "":
		return refuse("InvalidParameterException", "You can only move staging label AWSCURRENT to a different secret version. "+
			"It can't be completely removed.")
	case holder != in.RemoveFromVersionID && holder != "" && holder != in.MoveToVersionID:
		return refuse("InvalidParameterException", "The parameter RemoveFromVersionId must be the version that staging label %s "+
			"is currently attached to.", in.VersionStage)
	}
	return nil
}

func (s *Store) remove(in deleteInput) (deleteOutput, error) {
	found, err := s.find(in.SecretID)
	if err != nil {
		return deleteOutput{}, err
	}
	out := deleteOutput{ARN: found.ARN, Name: found.Name, DeletionDate: optionalTime(s.config.Now())}
	if in.ForceDeleteWithoutRecovery {
		return out, os.Remove(s.path(found.Name))
	}
	days := in.RecoveryWindowInDays
	if days == 0 {
		days = 30
	}
	found.Deleted = s.config.Now()
	out.DeletionDate = optionalTime(found.Deleted.Add(time.Duration(days) * 24 * time.Hour))
	return out, s.writeSecret(found)
}
