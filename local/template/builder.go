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
	// claimed holds the routes so far under their pattern, for two patterns that differ only in
	// the names of parameters match the same requests.
	claimed  map[string]claim
	api      string
	implicit bool
}

type claim struct {
	by   string
	line int
}

func (b *builder) fill(all []*resource) error {
	// Functions come last: their events refer to the API and the buckets.
	for _, r := range all {
		if err := b.passive(r); err != nil {
			return err
		}
	}
	for _, r := range all {
		if r.exists && r.typ == functionType {
			if err := b.function(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *builder) passive(r *resource) error {
	if !r.exists {
		return nil
	}
	switch r.typ {
	case apiType:
		return b.httpAPI(r)
	case tableType:
		return b.table(r)
	case bucketType:
		name, err := b.physicalID(r)
		b.stack.Buckets = append(b.stack.Buckets, Bucket{ID: r.id, Name: name})
		return err
	}
	return nil
}

func (b *builder) function(r *resource) error {
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
	b.stack.Functions = append(b.stack.Functions, Function{
		ID: r.id, Environment: environment, Timeout: time.Duration(seconds) * time.Second,
		MemoryMB: memory, BuildMethod: method, ReservedConcurrency: reserved, LogGroup: group,
	})
	return b.events(r)
}

// logGroup is where the function logs to, by name.
func (b *builder) logGroup(r *resource) (string, error) {
	group, err := r.properties.get("LoggingConfig").get("LogGroup").str("LogGroup")
	if err != nil || group != "" {
		return group, err
	}
	name, err := b.physicalID(r)
	return lambdaGroups + name, err
}

// lambdaGroups begins the name of a log group that Lambda makes of its own.
const lambdaGroups = "/aws/lambda/"

var variableName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]+$`)

// maxEnvironment is Lambda's limit on all names and values together.
const maxEnvironment = 4 << 10

func (b *builder) environment(variables *node) (map[string]string, error) {
	environment := map[string]string{}
	size := 0
	for _, f := range variables.present() {
		if !variableName.MatchString(f.key) {
			return nil, problem(f.line, "the variable name %q is not allowed; use letters, digits and _, at least two", f.key)
		}
		if strings.HasPrefix(f.key, "AWS_") || strings.HasPrefix(f.key, "LAMBDA_") || f.key == "_HANDLER" {
			return nil, problem(f.line, "the variable name %q is reserved by Lambda; choose another", f.key)
		}
		value, err := f.value.str("the variable " + f.key)
		if err != nil {
			return nil, err
		}
		environment[f.key] = b.local(value)
		if size += len(f.key) + len(value); size > maxEnvironment {
			return nil, problem(f.line, "the environment is larger than the 4 KB that Lambda takes; shorten it")
		}
	}
	return environment, nil
}

func (b *builder) httpAPI(r *resource) error {
	if b.api != "" {
		return problem(r.line, "%q is a second HTTP API beside %q; the local stack serves one", r.id, b.api)
	}
	b.api = r.id
	cors, err := readCORS(r.properties.get("CorsConfiguration"))
	if err != nil {
		return err
	}
	b.stack.CORS = cors
	return b.accessLog(r.properties.get("AccessLogSettings"))
}

// implicitCORS is for the API that SAM makes when events name none.
func (b *builder) implicitCORS(global *node) error {
	if b.api != "" || !b.implicit || !global.has("CorsConfiguration") {
		return nil
	}
	value, err := b.eval(global.get("CorsConfiguration"))
	if err != nil {
		return err
	}
	b.stack.CORS, err = readCORS(value)
	return err
}

func readCORS(n *node) (cors *CORS, err error) {
	if n.kind == object {
		return readCORSLists(n)
	}
	on, err := n.boolean("CorsConfiguration", false)
	if on {
		cors = &CORS{AllowOrigins: []string{"*"}}
	}
	return cors, err
}

func readCORSLists(n *node) (*CORS, error) {
	c := &CORS{}
	for _, into := range []struct {
		key  string
		list *[]string
	}{
		{"AllowOrigins", &c.AllowOrigins}, {"AllowMethods", &c.AllowMethods},
		{"AllowHeaders", &c.AllowHeaders}, {"ExposeHeaders", &c.ExposeHeaders},
	} {
		var err error
		if *into.list, err = n.get(into.key).strings(into.key); err != nil {
			return nil, err
		}
	}
	return c, c.readLimits(n)
}

func (c *CORS) readLimits(n *node) (err error) {
	if c.MaxAge, err = n.get("MaxAge").integer("MaxAge", 0, -1, 86400); err != nil {
		return err
	}
	c.AllowCredentials, err = n.get("AllowCredentials").boolean("AllowCredentials", false)
	if err != nil {
		return err
	}
	for _, origin := range c.AllowOrigins {
		if origin == "*" && c.AllowCredentials {
			return problem(n.get("AllowCredentials").line, "AllowCredentials needs the origins by name; API Gateway refuses it with \"*\"")
		}
	}
	return nil
}
