package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
)

// Element names elements as a screen reader does: by role, and by accessible name or text.
type Element struct {
	role string
	name string // exactly
	text string // somewhere in the element
}

// Role returns the elements with an ARIA role and exactly this accessible name.
func Role(role, name string) Element { return Element{role: role, name: name} }

// Button returns the button with the name.
func Button(name string) Element { return Role("button", name) }

// Link returns the link with the name.
func Link(name string) Element { return Role("link", name) }

// Heading returns the heading with the name.
func Heading(name string) Element { return Role("heading", name) }

// Dialog returns the dialog with the name.
func Dialog(name string) Element { return Role("dialog", name) }

// Row returns the table row that contains the text.
func Row(text string) Element { return Element{role: "row", text: text} }

// Item returns the list item that contains the text.
func Item(text string) Element { return Element{role: "listitem", text: text} }

// String implements fmt.Stringer.
func (e Element) String() string {
	if e.text != "" {
		return fmt.Sprintf("%s with %q", e.role, e.text)
	}
	return fmt.Sprintf("%s %q", e.role, e.name)
}

// Scope is a part of a page in which a test looks for elements. It finds its part again for each step, so the page may
// draw it anew.
type Scope struct {
	page *Page
	path []Element
}

// Within returns the part of the page inside an element, such as page.Within(browser.Row("ada@example.com")).
func (s Scope) Within(e Element) Scope {
	return Scope{page: s.page, path: append(slices.Clip(s.path), e)}
}

func (s Scope) describe(e fmt.Stringer) string {
	parts := []string{e.String()}
	for _, outer := range slices.Backward(s.path) {
		parts = append(parts, outer.String())
	}
	return strings.Join(parts, " in the ")
}

// object is an element of a page, as the protocol refers to it.
type object struct {
	page *Page
	id   runtime.RemoteObjectID
}

// objects is the group of all elements that a step has looked up. The step releases it at its end.
const objects = "test"

// root returns the element in which the scope looks.
func (s Scope) root(ctx context.Context) (object, error) {
	found, err := cdp.Call(ctx, s.page.target, runtime.Evaluate,
		runtime.EvaluateParams{Expression: "document", ObjectGroup: objects})
	if err != nil {
		return object{}, err
	}
	root := object{s.page, found.Result.ObjectID}
	for _, e := range s.path {
		if root, err = one(ctx, root, e); err != nil {
			return object{}, err
		}
	}
	return root, nil
}

// find returns the only element in the scope that matches.
func (s Scope) find(ctx context.Context, e Element) (object, error) {
	root, err := s.root(ctx)
	if err != nil {
		return object{}, err
	}
	return one(ctx, root, e)
}

func one(ctx context.Context, root object, e Element) (object, error) {
	found, err := query(ctx, root, e)
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("the page has %d elements %s", len(found), e)
	}
	if err != nil {
		return object{}, err
	}
	return found[0], nil
}

// query returns the elements that match and that the accessibility tree does not hide.
func query(ctx context.Context, root object, e Element) ([]object, error) {
	found, err := cdp.Call(ctx, root.page.target, accessibility.QueryAXTree,
		accessibility.QueryAXTreeParams{ObjectID: root.id, Role: e.role, AccessibleName: e.name})
	if err != nil {
		return nil, err
	}
	var elements []object
	for _, node := range found.Nodes {
		if node.Ignored || node.BackendDOMNodeID == 0 {
			continue
		}
		element, err := root.page.resolve(ctx, node.BackendDOMNodeID)
		if err != nil {
			return nil, err
		}
		matches := true
		if e.text != "" {
			matches, err = call[bool](ctx, element, "function(text) { return this.innerText.includes(text) }", e.text)
		}
		if err != nil {
			return nil, err
		}
		if matches {
			elements = append(elements, element)
		}
	}
	return elements, nil
}

func (p *Page) resolve(ctx context.Context, id cdp.BackendNodeID) (object, error) {
	resolved, err := cdp.Call(ctx, p.target, dom.ResolveNode,
		dom.ResolveNodeParams{BackendNodeID: id, ObjectGroup: objects})
	if err != nil {
		return object{}, err
	}
	return object{p, resolved.Object.ObjectID}, nil
}

// field returns the only form control in the scope with the label.
func (s Scope) field(ctx context.Context, label string) (object, error) {
	root, err := s.root(ctx)
	if err != nil {
		return object{}, err
	}
	named, err := query(ctx, root, Element{name: label})
	if err != nil {
		return object{}, err
	}
	var fields []object
	for _, element := range named {
		isControl, err := call[bool](ctx, element, isField)
		if err != nil {
			return object{}, err
		}
		if isControl {
			fields = append(fields, element)
		}
	}
	if len(fields) != 1 {
		return object{}, fmt.Errorf("the page has %d fields with the label %q", len(fields), label)
	}
	return fields[0], nil
}

const isField = `function() {
	return this instanceof Element && this.matches("input:not([type=button], [type=submit]), textarea, select, [contenteditable]")
}`

// call calls a JavaScript function whose this is the element, and returns its result.
func call[T any](ctx context.Context, this object, function string, arguments ...any) (T, error) {
	var result T
	yes := true
	parameters := runtime.CallFunctionOnParams{
		ObjectID: this.id, FunctionDeclaration: function, ReturnByValue: &yes, AwaitPromise: &yes, UserGesture: &yes,
	}
	for _, argument := range arguments {
		text, err := json.Marshal(argument)
		if err != nil {
			return result, err
		}
		parameters.Arguments = append(parameters.Arguments, &runtime.CallArgument{Value: text})
	}
	answer, err := cdp.Call(ctx, this.page.target, runtime.CallFunctionOn, parameters)
	if err != nil {
		return result, err
	}
	if answer.ExceptionDetails != nil {
		return result, errors.New(describeException(answer.ExceptionDetails))
	}
	if len(answer.Result.Value) == 0 {
		return result, nil
	}
	return result, json.Unmarshal(answer.Result.Value, &result)
}

func describeException(details *runtime.ExceptionDetails) string {
	if details.Exception != nil && details.Exception.Description != "" {
		return details.Exception.Description
	}
	return details.Text
}

// quote returns a JavaScript string literal.
func quote(text string) string {
	literal, err := json.Marshal(text)
	if err != nil {
		return strings.ToValidUTF8(text, "")
	}
	return string(literal)
}
