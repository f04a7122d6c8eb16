package template

import "strings"

// Parse resolves the template in source; file names it in errors. Whatever the bytes, it ends soon
// and without a panic.
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
	if err := checkKeys(root, ""); err != nil {
		return err
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
		if !r.exists {
			continue
		}
		if err := s.evaluate(r, root.get("Globals")); err != nil {
			return nil, err
		}
	}
	for _, r := range all {
		if r.exists && r.typ == functionType {
			s.notified(r)
		}
	}
	if err := s.circle(all); err != nil {
		return nil, err
	}
	b := &builder{scope: s, stack: &Stack{Outputs: map[string]string{}}, claimed: map[string]claim{}}
	if err := b.fill(all); err != nil {
		return nil, err
	}
	if err := b.implicitCORS(root.get("Globals").get("HttpApi")); err != nil {
		return nil, err
	}
	if err := b.outputs(root.get("Outputs")); err != nil {
		return nil, err
	}
	return b.stack, nil
}

func (b *builder) outputs(section *node) error {
	for _, f := range section.fields {
		if err := b.output(f); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) output(f field) error {
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
	b.stack.Outputs[f.key] = b.local(text)
	return err
}

// local puts the address of the running gateway in place of the one that AWS would give the API.
func (b *builder) local(s string) string {
	if b.options.APIURL == "" {
		return s
	}
	return strings.ReplaceAll(s, b.endpoint(), b.options.APIURL)
}
