package template

import (
	"regexp"
	"strings"
	"time"
)

// builder turns evaluated resources into a Stack.
type builder struct {
	*scope
	stack *Stack
	// routeOwners maps route patterns without parameter names to the function that has the route:
	// two patterns that differ only in parameter names match the same requests.
	routeOwners map[string]routeOwner
	api         string
	implicit    bool

	routeSettings *node // of the HTTP API; they may come before the routes
}

type routeOwner struct {
	function string
	line     int
}

func (b *builder) fill(all []*resource) error {
	// Policies refer to roles, and functions to roles, the API and the buckets.
	for _, add := range []func(*resource) error{b.addResource, b.addPolicy, b.addFunction} {
		for _, r := range all {
			if err := add(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// addResource adds any resource but a function or a policy.
func (b *builder) addResource(r *resource) error {
	if !r.exists && !r.isNamedTable() {
		return nil
	}
	switch r.typ {
	case firehoseType:
		return problem(r.line, "the local stack has no Amazon Data Firehose; omit the parameter that creates %q, such as LogDelivery", r.id)
	case apiType:
		return b.httpAPI(r)
	case tableType:
		return b.addTable(r)
	case bucketType:
		return b.addBucket(r)
	case roleType:
		return b.addRole(r)
	case secretType:
		return b.addSecret(r)
	}
	return nil
}

func (b *builder) addSecret(r *resource) error {
	text, err := r.properties.get("SecretString").required("SecretString")
	if err != nil {
		return err
	}
	arn, err := b.physicalID(r)
	if err != nil {
		return err
	}
	_, name, _ := strings.Cut(arn, ":secret:")
	b.stack.Secrets = append(b.stack.Secrets, Secret{Name: name, Value: text})
	return nil
}

func (b *builder) addFunction(r *resource) error {
	if r.typ != functionType || !r.exists {
		return nil
	}
	p := r.properties
	seconds, err := p.get("Timeout").integer("Timeout", 3, 1, 900)
	if err != nil {
		return err
	}
	memory, err := p.get("MemorySize").integer("MemorySize", 128, 128, 10240)
	if err != nil {
		return err
	}
	reserved, err := p.get("ReservedConcurrentExecutions").integer("ReservedConcurrentExecutions", 0, 1, 1000)
	if err != nil {
		return err
	}
	environment, err := b.environment(p.get("Environment").get("Variables"))
	if err != nil {
		return err
	}
	method, err := r.source.get("Metadata").get("BuildMethod").str("BuildMethod")
	if err != nil {
		return err
	}
	group, err := b.logGroup(r)
	if err != nil {
		return err
	}
	role, err := b.roleOf(r)
	if err != nil {
		return err
	}
	async, err := b.asyncInvoke(p.get("EventInvokeConfig"), role)
	if err != nil {
		return err
	}
	b.stack.Functions = append(b.stack.Functions, Function{
		ID: r.id, Role: role, Environment: environment, Timeout: time.Duration(seconds) * time.Second,
		MemoryMB: memory, BuildMethod: method, ReservedConcurrency: reserved, LogGroup: group, Async: async,
	})
	return b.addEvents(r)
}

// logGroup returns the name of the function's log group.
func (b *builder) logGroup(r *resource) (string, error) {
	group, err := r.properties.get("LoggingConfig").get("LogGroup").str("LogGroup")
	if err != nil || group != "" {
		return group, err
	}
	name, err := b.physicalID(r)
	return lambdaGroupPrefix + name, err
}

// lambdaGroupPrefix begins the names of the log groups that Lambda creates by default.
const lambdaGroupPrefix = "/aws/lambda/"

var variableName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]+$`)

// maxEnvironmentBytes is Lambda's limit on the sum of all names and values.
const maxEnvironmentBytes = 4 << 10

func (b *builder) environment(variables *node) (map[string]string, error) {
	environment := map[string]string{}
	size := 0
	for _, f := range variables.present() {
		if !variableName.MatchString(f.key) {
			return nil, problem(f.line, "the variable name %q is not allowed; use at least two letters, digits or _", f.key)
		}
		if strings.HasPrefix(f.key, "AWS_") || strings.HasPrefix(f.key, "LAMBDA_") || f.key == "_HANDLER" {
			return nil, problem(f.line, "the variable name %q is reserved by Lambda; choose another", f.key)
		}
		value, err := f.value.str("the variable " + f.key)
		if err != nil {
			return nil, err
		}
		environment[f.key] = b.useLocalAPI(value)
		if size += len(f.key) + len(value); size > maxEnvironmentBytes {
			return nil, problem(f.line, "the environment is larger than the 4 KB that Lambda allows; shorten it")
		}
	}
	return environment, nil
}
