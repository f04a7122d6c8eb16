package template

import "strings"

// Parse resolves the template in source. Errors name it by file. Parse is safe on hostile input: it
// bounds its own work and never panics.
func Parse(file string, source []byte, o Options) (*Stack, error) {
	root, err := parse(source)
	if err != nil {
		return nil, inFile(file, err)
	}
	stack, err := assemble(root, o.withDefaults())
	if err != nil {
		return nil, inFile(file, err)
	}
	return stack, nil
}

func assemble(root *node, o Options) (*Stack, error) {
	if err := checkSections(root); err != nil {
		return nil, err
	}
	s := &scope{
		options: o, mappings: root.get("Mappings"),
		parameters: map[string]*node{}, conditions: map[string]*condition{},
		resources: map[string]*resource{}, edges: map[string][]edge{},
	}
	if err := s.readParameters(root); err != nil {
		return nil, err
	}
	if err := s.checkRules(root.get("Rules")); err != nil {
		return nil, err
	}
	if err := s.readConditions(root.get("Conditions")); err != nil {
		return nil, err
	}
	all, err := s.readResources(root.get("Resources"))
	if err != nil {
		return nil, err
	}
	return s.build(all, root)
}

func checkSections(root *node) error {
	if root.kind != object {
		return problem(root.line, "a template is a map with a Resources section")
	}
	for _, section := range []string{"Parameters", "Rules", "Mappings", "Conditions", "Globals", "Resources", "Outputs"} {
		if declares(root, section) && root.get(section).kind != object {
			return problem(root.lineOf(section), "the section %s must be a map", section)
		}
	}
	if !root.has("Resources") || len(root.get("Resources").fields) == 0 {
		return problem(root.line, "the template has no Resources; it needs at least one")
	}
	return nil
}

func (s *scope) build(all []*resource, root *node) (*Stack, error) {
	for _, r := range all {
		if !r.exists && !r.isNamedTable() {
			continue
		}
		if err := s.evaluate(r, root.get("Globals")); err != nil {
			return nil, err
		}
	}
	for _, r := range all {
		if r.exists && r.typ == functionType {
			s.addNotificationEdges(r)
		}
	}
	if err := s.checkCycles(all); err != nil {
		return nil, err
	}
	b := &builder{
		scope: s, stack: &Stack{Outputs: map[string]string{}}, routeOwners: map[string]routeOwner{}, routeSettings: &node{kind: absent},
	}
	if err := b.fill(all); err != nil {
		return nil, err
	}
	if err := b.readRouteThrottles(); err != nil {
		return nil, err
	}
	if err := b.readImplicitCORS(root.get("Globals").get("HttpApi")); err != nil {
		return nil, err
	}
	if err := b.readOutputs(root.get("Outputs")); err != nil {
		return nil, err
	}
	return b.stack, nil
}

func (b *builder) readOutputs(section *node) error {
	for _, f := range section.fields {
		if err := b.readOutput(f); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) readOutput(f field) error {
	if c := f.value.get("Condition"); c.kind != absent {
		if on, err := b.conditionNamed(c.text, c.line); err != nil || !on {
			return err
		}
	}
	value, err := b.eval(f.value.get("Value"))
	if err != nil {
		return err
	}
	text, err := value.required("the Value of output " + f.key)
	b.stack.Outputs[f.key] = b.useLocalAPI(text)
	return err
}

// useLocalAPI replaces the API's address on AWS by the address of the local gateway.
func (b *builder) useLocalAPI(s string) string {
	if b.options.APIURL == "" {
		return s
	}
	return strings.ReplaceAll(s, b.endpoint(), b.options.APIURL)
}
