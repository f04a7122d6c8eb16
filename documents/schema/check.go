package schema

import (
	"bytes"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"portside/documents/answers"
)

// resource is the name under which the compiler knows the schema. It never fetches a schema.
const resource = "schema.json"

// checker checks whether single values satisfy the keywords of their schemas.
type checker struct {
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema // parts of the schema that were needed so far, by JSON Pointer
}

// newChecker compiles a schema. All its errors are a *Problem.
func newChecker(text []byte) (*checker, error) {
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, &Problem{Reason: "is not JSON"}
	}
	c := &checker{jsonschema.NewCompiler(), map[string]*jsonschema.Schema{}}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	c.compiler.AssertFormat()
	c.compiler.UseLoader(jsonschema.SchemeURLLoader{})
	if err = c.compiler.AddResource(resource, raw); err == nil {
		_, err = c.compiler.Compile(resource)
	}
	if err != nil {
		return nil, &Problem{Reason: "is not a valid JSON Schema"} // the compiler's text has addresses and values
	}
	return c, nil
}

// fits reports whether a value satisfies the part of the schema at a JSON Pointer.
func (c *checker) fits(pointer string, value answers.Value) bool {
	check := c.compiled[pointer]
	if check == nil {
		var err error
		// The compiler decodes the fragment of the URL.
		if check, err = c.compiler.Compile(resource + "#" + strings.ReplaceAll(pointer, "%", "%25")); err != nil {
			return false
		}
		c.compiled[pointer] = check
	}
	text, err := value.MarshalJSON()
	if err != nil {
		return false
	}
	decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	return err == nil && check.Validate(decoded) == nil
}
