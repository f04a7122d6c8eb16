package rules_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sharedResources are the resources that stacks of an account share: AWS has no narrower form, or the operator chooses
// them.
func sharedResources() []string {
	return []string{
		"*",
		"arn:${AWS::Partition}:bedrock:*::foundation-model/*",
		"arn:${AWS::Partition}:bedrock:*:${AWS::AccountId}:inference-profile/*",
		"arn:${AWS::Partition}:ecr:${AWS::Region}:${AWS::AccountId}:repository/*", // the list of repositories
		"arn:${AWS::Partition}:ecr:${AWS::Region}:${AWS::AccountId}:repository/${ImageRepositories}",
		"arn:${AWS::Partition}:ses:${AWS::Region}:${AWS::AccountId}:identity/*",
		"arn:${AWS::Partition}:ses:${AWS::Region}:${AWS::AccountId}:configuration-set/*",
	}
}

// TestStacksCannotReachEachOther reads the permissions of the template after the SAM transform, and the sources that
// may invoke functions. The names of the stacks begin with one another, because that is where prefixes go wrong.
func TestStacksCannotReachEachOther(t *testing.T) {
	resources := append(allowedResources(t), sourceARNs(t)...)
	if len(resources) < 60 {
		t.Fatalf("found only %d resources", len(resources))
	}
	for _, violation := range checkStacks(resources) {
		t.Error(violation)
	}
}

func TestReachOfStacksIsFound(t *testing.T) {
	for _, resource := range []string{
		"arn:aws:secretsmanager:us-east-1:1:secret:portside/*",
		"arn:aws:secretsmanager:us-east-1:1:secret:${AWS::StackName}*",
		"arn:aws:transcribe:us-east-1:1:vocabulary/${AWS::StackName}-*",
		"arn:aws:dynamodb:us-east-1:1:table/*",
	} {
		if len(checkStacks([]string{resource})) == 0 {
			t.Errorf("%s reaches another stack, and the check accepts it", resource)
		}
	}
}

// checkStacks returns the resources of one stack that match names of another one.
func checkStacks(resources []string) []string {
	var violations []string
	names := []string{"portside", "portside-", "portside2", "portside-staging"}
	for _, pattern := range resources {
		for _, own := range names {
			for _, other := range names {
				if own != other && reachesStack(resolveIn(own, pattern), resources, other) {
					violations = append(violations, pattern+" of the stack "+own+" reaches the stack "+other)
				}
			}
		}
	}
	return violations
}

// reachesStack reports whether the pattern matches a resource of the stack.
func reachesStack(pattern string, resources []string, stack string) bool {
	quoted := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
	matcher := regexp.MustCompile("^" + quoted + "$")
	return slices.ContainsFunc(resources, func(resource string) bool {
		return matcher.MatchString(strings.ReplaceAll(resolveIn(stack, resource), "*", "x"))
	})
}

var reference = regexp.MustCompile(`\$\{(\w+)(\.Arn)?\}`)

// resolveIn returns a resource as CloudFormation does, with names of the form STACK-ID.
func resolveIn(stack, resource string) string {
	resource = strings.NewReplacer("${AWS::StackName}", stack, "${AWS::Partition}", "aws", "${AWS::Region}", "us-east-1",
		"${AWS::AccountId}", "1", "${TableSuffix}", "").Replace(resource)
	return reference.ReplaceAllString(resource, stack+"-$1")
}

// allowedResources returns the resources of the Allow statements in .ci/permissions.txt, which `make check` compares
// with the template.
func allowedResources(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(root + "/.ci/permissions.txt")
	if err != nil {
		t.Fatal(err)
	}
	var resources []string
	isAllow := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if resource, found := strings.CutPrefix(line, "    on "); found && isAllow &&
			!slices.Contains(sharedResources(), resource) {
			resources = append(resources, resource)
		}
		if strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "    ") {
			isAllow = strings.HasPrefix(line, "  Allow ")
		}
	}
	return resources
}

// sourceARNs returns the ARNs that may invoke functions.
func sourceARNs(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(root + "/template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(text)) {
		if source, found := strings.CutPrefix(strings.TrimSpace(line), "SourceArn: !Sub "); found {
			all = append(all, source)
		}
	}
	return all
}
