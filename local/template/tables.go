package template

import "slices"

func (b *builder) addTable(r *resource) error {
	name, err := b.physicalID(r)
	if err != nil {
		return err
	}
	t := Table{ID: r.id, Name: name, External: !r.exists}
	if err := t.readProperties(r.properties); err != nil {
		return err
	}
	b.stack.Tables = append(b.stack.Tables, t)
	return nil
}

func (t *Table) readProperties(p *node) error {
	definitions, err := p.get("AttributeDefinitions").elements("AttributeDefinitions")
	if err != nil {
		return err
	}
	for _, d := range definitions {
		a, err := readAttribute(d)
		if err != nil {
			return err
		}
		t.Attributes = append(t.Attributes, a)
	}
	if t.Keys, err = t.keys(p.get("KeySchema")); err != nil {
		return err
	}
	if t.Global, err = t.indexes(p.get("GlobalSecondaryIndexes")); err != nil {
		return err
	}
	if t.Local, err = t.indexes(p.get("LocalSecondaryIndexes")); err != nil {
		return err
	}
	return t.readTTL(p.get("TimeToLiveSpecification"))
}

func readAttribute(d *node) (Attribute, error) {
	name, err := d.get("AttributeName").required("AttributeName")
	if err != nil {
		return Attribute{}, err
	}
	typ := d.get("AttributeType")
	if !slices.Contains([]string{"S", "N", "B"}, typ.text) {
		return Attribute{}, problem(typ.line, "the AttributeType of %q must be S, N or B", name)
	}
	return Attribute{Name: name, Type: typ.text}, nil
}

func (t *Table) keys(n *node) ([]Key, error) {
	parts, err := n.elements("KeySchema")
	if err != nil {
		return nil, err
	}
	if len(parts) < 1 || len(parts) > 2 {
		return nil, problem(n.line, "the KeySchema of %q or its index needs a HASH key and at most one RANGE key", t.ID)
	}
	var keys []Key
	for i, part := range parts {
		name, err := part.get("AttributeName").required("AttributeName")
		if err != nil {
			return nil, err
		}
		if want := []string{"HASH", "RANGE"}[i]; part.get("KeyType").text != want {
			return nil, problem(part.line, "key %d of a KeySchema must have the KeyType %s", i+1, want)
		}
		if !slices.ContainsFunc(t.Attributes, func(a Attribute) bool { return a.Name == name }) {
			return nil, problem(part.line, "the key attribute %q is not in AttributeDefinitions; add it", name)
		}
		keys = append(keys, Key{Name: name, Type: part.get("KeyType").text})
	}
	return keys, nil
}

func (t *Table) indexes(n *node) ([]Index, error) {
	all, err := n.elements("the indexes of " + t.ID)
	if err != nil {
		return nil, err
	}
	var indexes []Index
	for _, source := range all {
		index, err := t.index(source)
		if err != nil {
			return nil, err
		}
		indexes = append(indexes, index)
	}
	return indexes, nil
}

func (t *Table) index(n *node) (index Index, err error) {
	if index.Name, err = n.get("IndexName").required("IndexName"); err != nil {
		return index, err
	}
	if len(index.Name) < 3 {
		return index, problem(n.line, "the index name %q is too short; DynamoDB requires at least 3 characters", index.Name)
	}
	if index.Keys, err = t.keys(n.get("KeySchema")); err != nil {
		return index, err
	}
	projection := n.get("Projection")
	index.Projection = orElse(projection.get("ProjectionType").text, "KEYS_ONLY")
	if !slices.Contains([]string{"ALL", "KEYS_ONLY", "INCLUDE"}, index.Projection) {
		return index, problem(projection.line, "the ProjectionType of %q must be ALL, KEYS_ONLY or INCLUDE", index.Name)
	}
	index.NonKey, err = projection.get("NonKeyAttributes").strings("NonKeyAttributes")
	return index, err
}

func (t *Table) readTTL(n *node) error {
	on, err := n.get("Enabled").boolean("Enabled", false)
	if err != nil || !on {
		return err
	}
	t.TTLAttribute, err = n.get("AttributeName").required("the AttributeName of TimeToLiveSpecification")
	return err
}
