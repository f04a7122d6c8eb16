package template

import (
	"slices"
	"strings"
)

func (b *builder) addBucket(r *resource) error {
	name, err := b.physicalID(r)
	if err != nil {
		return err
	}
	rules, err := readCORSRules(r.properties.get("CorsConfiguration").get("CorsRules"))
	if err != nil {
		return err
	}
	b.stack.Buckets = append(b.stack.Buckets, Bucket{ID: r.id, Name: name, CORS: rules})
	return nil
}

func readCORSRules(n *node) ([]CORSRule, error) {
	entries, err := n.elements("CorsRules")
	if err != nil {
		return nil, err
	}
	var rules []CORSRule
	for _, entry := range entries {
		rule, err := readCORSRule(entry)
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

func readCORSRule(n *node) (rule CORSRule, err error) {
	for _, into := range []struct {
		key  string
		list *[]string
	}{
		{"AllowedOrigins", &rule.AllowedOrigins}, {"AllowedMethods", &rule.AllowedMethods},
		{"AllowedHeaders", &rule.AllowedHeaders}, {"ExposedHeaders", &rule.ExposedHeaders},
	} {
		if *into.list, err = n.get(into.key).strings(into.key); err != nil {
			return CORSRule{}, err
		}
	}
	if rule.MaxAge, err = n.get("MaxAge").integer("MaxAge", 0, 0, 1<<31-1); err != nil {
		return CORSRule{}, err
	}
	return rule, rule.check(n)
}

// bucketMethods are the methods that S3 accepts in a CORS rule.
var bucketMethods = []string{"DELETE", "GET", "HEAD", "POST", "PUT"}

// check reports what S3 would refuse.
func (r CORSRule) check(n *node) error {
	if len(r.AllowedOrigins) == 0 || len(r.AllowedMethods) == 0 {
		return problem(n.line, "an entry of CorsRules needs AllowedOrigins and AllowedMethods")
	}
	for _, method := range r.AllowedMethods {
		if !slices.Contains(bucketMethods, method) {
			return problem(n.get("AllowedMethods").line, "S3 does not support %q in AllowedMethods; use %s",
				method, strings.Join(bucketMethods, ", "))
		}
	}
	for _, origin := range r.AllowedOrigins {
		if strings.Count(origin, "*") > 1 {
			return problem(n.get("AllowedOrigins").line, "the origin %q has more than one *, which S3 refuses", origin)
		}
	}
	return nil
}
