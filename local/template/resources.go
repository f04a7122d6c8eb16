package template

import (
	"slices"
	"strings"
)

const urlSuffix = "amazonaws.com"

// The resource types that the local stack implements. Other resources only have a name and
// attributes.
const (
	firehoseType     = "AWS::KinesisFirehose::DeliveryStream" // refused
	domainType       = "AWS::ApiGatewayV2::DomainName"
	distributionType = "AWS::CloudFront::Distribution"
	functionType     = "AWS::Serverless::Function"
	apiType          = "AWS::Serverless::HttpApi"
	tableType        = "AWS::DynamoDB::Table"
	bucketType       = "AWS::S3::Bucket"
	queueType        = "AWS::SQS::Queue"
	logsType         = "AWS::Logs::LogGroup"
	roleType         = "AWS::IAM::Role"
	secretType       = "AWS::SecretsManager::Secret"
)

// resource is an entry of Resources. properties is nil until evaluate has run.
type resource struct {
	id, typ    string
	line       int
	source     *node
	exists     bool
	properties *node
	naming     progress
	name       string
}

func (s *scope) readResources(section *node) ([]*resource, error) {
	var all []*resource
	for _, f := range section.fields {
		r, err := s.declare(f)
		if err != nil {
			return nil, err
		}
		s.resources[r.id] = r
		all = append(all, r)
	}
	s.imply(all)
	return all, nil
}

func (s *scope) declare(f field) (*resource, error) {
	if f.value.kind != object {
		return nil, problem(f.line, "the resource %q must be a map with a Type", f.key)
	}
	if strings.Trim(f.key, alphanumeric) != "" || f.key == "" {
		return nil, problem(f.line, "the logical ID %q must be letters and digits only", f.key)
	}
	if _, taken := s.parameters[f.key]; taken {
		return nil, problem(f.line, "%q is a parameter too; rename one of them", f.key)
	}
	typ, err := f.value.get("Type").required("the Type of resource " + f.key)
	if err != nil {
		return nil, err
	}
	r := &resource{id: f.key, typ: typ, line: f.line, source: f.value, exists: true}
	if c := f.value.get("Condition"); c.kind != absent {
		r.exists, err = s.conditionNamed(c.text, c.line)
	}
	return r, err
}

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// imply adds the resources that SAM creates implicitly and to which a template may refer: a role
// for each function and, if the template declares no HTTP API, the implicit one.
func (s *scope) imply(all []*resource) {
	apis := 0
	for _, r := range all {
		switch r.typ {
		case functionType:
			s.implied(r.id+"Role", roleType, r)
		case apiType:
			apis++
		}
	}
	if apis == 0 && len(all) > 0 {
		s.implied(implicitAPI, apiType, all[0])
	}
}

const implicitAPI = "ServerlessHttpApi"

func (s *scope) implied(id, typ string, by *resource) {
	if s.resources[id] == nil {
		empty := &node{kind: object, line: by.line}
		s.resources[id] = &resource{id: id, typ: typ, line: by.line, source: empty, exists: by.exists}
	}
}

// isNamedTable reports whether r is a table whose name the template sets. Such a table can exist
// without being a resource of the stack.
func (r *resource) isNamedTable() bool {
	return r.typ == tableType && r.source.get("Properties").has("TableName")
}

// evaluate resolves a resource's properties and merges them over the Globals of its type.
func (s *scope) evaluate(r *resource, globals *node) error {
	s.from = r.id
	defer func() { s.from = "" }()
	local, err := s.propertiesOf(r)
	if err != nil {
		return err
	}
	r.properties = local
	if section := strings.TrimPrefix(r.typ, "AWS::Serverless::"); section != r.typ && globals.has(section) {
		global, err := s.eval(globals.get(section))
		if err != nil {
			return err
		}
		r.properties = merged(global, local)
	}
	return s.dependsOn(r)
}

func (s *scope) propertiesOf(r *resource) (*node, error) {
	source := r.source.get("Properties")
	if source.kind == absent && source.fn == "" {
		return &node{kind: object, line: r.line}, nil
	}
	value, err := s.evalProperties(r, source)
	if err == nil && value.kind != object {
		return nil, problem(source.line, "the Properties of %q must be a map", r.id)
	}
	return value, err
}

// separateProperties are the properties of a function from which SAM creates separate resources.
var separateProperties = []string{"Events", "EventInvokeConfig"}

// evalProperties does not count references in separateProperties as references of the function.
func (s *scope) evalProperties(r *resource, source *node) (*node, error) {
	if r.typ != functionType || source.kind != object {
		return s.eval(source)
	}
	without := &node{kind: object, line: source.line}
	var separate []field
	for _, f := range source.fields {
		if slices.Contains(separateProperties, f.key) {
			separate = append(separate, f)
			continue
		}
		without.fields = append(without.fields, f)
	}
	value, err := s.eval(without)
	if err != nil || len(separate) == 0 {
		return value, err
	}
	s.from = ""
	all, err := s.eval(&node{kind: object, line: source.line, fields: separate})
	s.from = r.id
	if err == nil {
		value.fields = append(value.fields, all.fields...)
	}
	return value, err
}

// addNotificationEdges adds a reference from each bucket to r if an S3 event of r names the bucket:
// SAM puts the notification into the bucket's properties.
func (s *scope) addNotificationEdges(r *resource) {
	for _, event := range r.properties.get("Events").present() {
		name := event.value.get("Properties").get("Bucket")
		if event.value.get("Type").text != "S3" {
			continue
		}
		for _, bucket := range s.resources {
			if bucket.typ == bucketType && bucket.naming == done && bucket.name == name.text {
				s.edges[bucket.id] = append(s.edges[bucket.id], edge{r.id, name.line})
			}
		}
	}
}

func (s *scope) dependsOn(r *resource) error {
	names, err := r.source.get("DependsOn").strings("DependsOn")
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := s.target(name, r.source.get("DependsOn").line); err != nil {
			return err
		}
	}
	return nil
}

// checkCycles refuses resources that refer to each other in a cycle, which CloudFormation cannot
// create.
func (s *scope) checkCycles(all []*resource) error {
	w := walk{edges: s.edges, state: map[string]progress{}}
	for _, r := range all {
		if err := w.visit(r.id, nil); err != nil {
			return err
		}
	}
	return nil
}

type walk struct {
	edges map[string][]edge
	state map[string]progress
}

// visit follows the edges from id; path holds the resources from which it came.
func (w *walk) visit(id string, path []string) error {
	if w.state[id] == done {
		return nil
	}
	w.state[id] = running
	path = append(path, id)
	for _, e := range w.edges[id] {
		if w.state[e.to] == running {
			cycle := strings.Join(path[slices.Index(path, e.to):], " → ") + " → " + e.to
			return problem(e.line, "these resources refer to each other in a cycle, which CloudFormation cannot create: %s", cycle)
		}
		if err := w.visit(e.to, path); err != nil {
			return err
		}
	}
	w.state[id] = done
	return nil
}
