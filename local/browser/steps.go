package browser

import (
	"context"
	"errors"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// step repeats an action until it succeeds, and fails the test after stepTimeout.
func (s Scope) step(what string, try func(context.Context) (bool, error)) {
	s.page.t.Helper()
	s.page.await(what, func(ctx context.Context) (bool, error) {
		done, err := try(ctx)
		_, releaseErr := cdp.Call(ctx, s.page.target, runtime.ReleaseObjectGroup,
			runtime.ReleaseObjectGroupParams{ObjectGroup: objects})
		return done, errors.Join(err, releaseErr)
	})
}

// WaitFor waits until the page shows exactly one such element.
func (s Scope) WaitFor(e Element) {
	s.page.t.Helper()
	s.step("the "+s.describe(e), func(ctx context.Context) (bool, error) {
		_, err := s.find(ctx, e)
		return err == nil, err
	})
}

// WaitGone waits until the page shows no such element. A modal dialog hides the elements behind it, so they are gone
// only after the dialog.
func (s Scope) WaitGone(e Element) {
	s.page.t.Helper()
	isBehind := len(s.path) == 0 && e.role != "dialog"
	s.step("the end of the "+s.describe(e), func(ctx context.Context) (bool, error) {
		if isBehind {
			isModal, err := evaluate[bool](ctx, s.page, `!!document.querySelector("dialog:modal")`)
			if err != nil || isModal {
				return false, err
			}
		}
		count, err := s.count(ctx, e)
		return count == 0, err
	})
}

// Count returns how many such elements the page shows now.
func (s Scope) Count(e Element) (count int) {
	s.page.t.Helper()
	s.step("the number of elements "+s.describe(e), func(ctx context.Context) (bool, error) {
		var err error
		count, err = s.count(ctx, e)
		return err == nil, err
	})
	return count
}

func (s Scope) count(ctx context.Context, e Element) (int, error) {
	root, err := s.root(ctx)
	if err != nil {
		return 0, err
	}
	found, err := query(ctx, root, e)
	return len(found), err
}

// text is what a person reads.
type text string

// String implements fmt.Stringer.
func (t text) String() string { return "text " + quote(string(t)) }

const visibleText = "function() { return (this.body ?? this).innerText }"

// WaitText waits until the text is visible.
func (s Scope) WaitText(wanted string) { s.page.t.Helper(); s.waitText(wanted, true) }

// WaitNoText waits until the text is not visible.
func (s Scope) WaitNoText(unwanted string) { s.page.t.Helper(); s.waitText(unwanted, false) }

func (s Scope) waitText(wanted string, visible bool) {
	s.page.t.Helper()
	what := s.describe(text(wanted))
	if !visible {
		what = "the end of the " + what
	}
	s.step(what, func(ctx context.Context) (bool, error) {
		shown, err := s.text(ctx)
		return strings.Contains(shown, wanted) == visible, err
	})
}

// Text returns the visible text of the scope.
func (s Scope) Text() (shown string) {
	s.page.t.Helper()
	s.step("the text", func(ctx context.Context) (bool, error) {
		var err error
		shown, err = s.text(ctx)
		return err == nil, err
	})
	return shown
}

func (s Scope) text(ctx context.Context) (string, error) {
	root, err := s.root(ctx)
	if err != nil {
		return "", err
	}
	return call[string](ctx, root, visibleText)
}

// Click clicks the element with the mouse, when it is enabled and nothing covers it.
func (s Scope) Click(e Element) {
	s.page.t.Helper()
	s.step("a click on the "+s.describe(e), func(ctx context.Context) (bool, error) {
		element, err := s.find(ctx, e)
		if err != nil {
			return false, err
		}
		return click(ctx, element)
	})
}

// point is the center of an element, or the reason why a click there would not reach it.
type point struct {
	X, Y    float64
	Problem string
}

// clickable waits for a frame, because what loads may still move the element. Then it begins to listen for the click.
const clickable = `async function() {
	if (this.disabled || this.ariaDisabled === "true") return { problem: "it is disabled" };
	const before = this.getClientRects()[0];
	await new Promise(done => requestAnimationFrame(done));
	const box = this.getClientRects()[0];
	if (!before || !box) return { problem: "it has no size" };
	if (before.x !== box.x || before.y !== box.y) return { problem: "it moves" };
	const x = box.x + box.width / 2, y = box.y + box.height / 2;
	const hit = document.elementFromPoint(x, y);
	const reached = hit && (this.contains(hit) || hit.contains(this) || hit.closest("label")?.control === this);
	if (!reached) return { problem: "it is covered by " + (hit?.outerHTML.slice(0, 200) ?? "the edge of the window") };
	globalThis.isClickMissed = true;
	this.addEventListener("click", () => { globalThis.isClickMissed = false; }, { capture: true, once: true });
	return { x, y, problem: "" };
}`

// clickEvents are the events of a click.
var clickEvents = []input.DispatchMouseEventType{
	input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMousePressed,
	input.DispatchMouseEventTypeMouseReleased,
}

func click(ctx context.Context, element object) (bool, error) {
	scroll := dom.ScrollIntoViewIfNeededParams{ObjectID: element.id}
	if _, err := cdp.Call(ctx, element.page.target, dom.ScrollIntoViewIfNeeded, scroll); err != nil {
		return false, err
	}
	at, err := call[point](ctx, element, clickable)
	if err != nil {
		return false, err
	}
	if at.Problem != "" {
		return false, errors.New(at.Problem)
	}
	for _, kind := range clickEvents {
		event := input.DispatchMouseEventParams{Type: kind, X: at.X, Y: at.Y}
		if kind != input.DispatchMouseEventTypeMouseMoved {
			event.Button, event.ClickCount = input.MouseButtonLeft, 1
		}
		if _, err := cdp.Call(ctx, element.page.target, input.DispatchMouseEvent, event); err != nil {
			return false, err
		}
	}
	isMissed, err := evaluate[bool](ctx, element.page, "globalThis.isClickMissed === true")
	if err == nil && isMissed {
		return false, errors.New("it moved before the click")
	}
	return true, nil // without an answer, the click has opened another page
}

const focusField = `function() {
	if (this.disabled || this.readOnly) throw new Error("the field is disabled or read-only");
	this.focus();
	if (["date", "time", "datetime-local", "month", "week", "color", "range"].includes(this.type)) return false;
	this.select?.();
	return true;
}`

// setValue sets the value of a field whose parts cannot be typed as one text.
const setValue = `function(value) {
	Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(this, value);
	this.dispatchEvent(new Event("input", { bubbles: true }));
	this.dispatchEvent(new Event("change", { bubbles: true }));
}`

// Fill replaces the value of the field with this label.
func (s Scope) Fill(label, value string) {
	s.page.t.Helper()
	s.step("the field "+quote(label), func(ctx context.Context) (bool, error) {
		field, err := s.field(ctx, label)
		if err != nil {
			return false, err
		}
		takesText, err := call[bool](ctx, field, focusField)
		if err != nil {
			return false, err
		}
		switch {
		case !takesText:
			_, err = call[any](ctx, field, setValue, value)
		case value == "":
			_, err = chromedp.KeyEvent(kb.Delete)(ctx, s.page.target)
		default:
			_, err = cdp.Call(ctx, s.page.target, input.InsertText, input.InsertTextParams{Text: value})
		}
		return err == nil, err
	})
}

const selectOption = `function(label) {
	const option = [...this.options].find(o => o.label.trim() === label);
	if (!option || option.disabled || this.disabled) throw new Error("options: " + [...this.options].map(o => o.label).join(", "));
	this.focus();
	this.value = option.value;
	this.dispatchEvent(new Event("input", { bubbles: true }));
	this.dispatchEvent(new Event("change", { bubbles: true }));
}`

// Select selects the option with this text in the list with this label.
func (s Scope) Select(label, option string) {
	s.page.t.Helper()
	s.step("the option "+quote(option)+" of "+quote(label), func(ctx context.Context) (bool, error) {
		field, err := s.field(ctx, label)
		if err != nil {
			return false, err
		}
		_, err = call[any](ctx, field, selectOption, option)
		return err == nil, err
	})
}

// Check clicks the checkbox, switch or radio button with this label unless it is already in the wanted state.
func (s Scope) Check(label string, checked bool) {
	s.page.t.Helper()
	s.step("the checkbox "+quote(label), func(ctx context.Context) (bool, error) {
		field, err := s.field(ctx, label)
		if err != nil {
			return false, err
		}
		isChecked, err := call[bool](ctx, field, "function() { return this.checked }")
		if err != nil || isChecked == checked {
			return isChecked == checked, err
		}
		return click(ctx, field)
	})
}

// Value returns the value of the field with this label.
func (s Scope) Value(label string) (value string) {
	s.page.t.Helper()
	s.step("the field "+quote(label), func(ctx context.Context) (bool, error) {
		field, err := s.field(ctx, label)
		if err != nil {
			return false, err
		}
		value, err = call[string](ctx, field, "function() { return this.value }")
		return err == nil, err
	})
	return value
}

// Upload selects files in the file field with this label.
func (s Scope) Upload(label string, files ...string) {
	s.page.t.Helper()
	s.step("the file field "+quote(label), func(ctx context.Context) (bool, error) {
		field, err := s.fileField(ctx, label)
		if err != nil {
			return false, err
		}
		_, err = cdp.Call(ctx, s.page.target, dom.SetFileInputFiles,
			dom.SetFileInputFilesParams{Files: files, ObjectID: field.id})
		return err == nil, err
	})
}

const findFileField = `function(label) {
	const fields = [...this.querySelectorAll("input[type=file]")];
	return fields.find(f => f.ariaLabel === label || [...f.labels].some(l => l.innerText.trim() === label)) ?? null;
}`

// fileField finds a file field by its label, because its accessible name also has the names of the files.
func (s Scope) fileField(ctx context.Context, label string) (object, error) {
	root, err := s.root(ctx)
	if err != nil {
		return object{}, err
	}
	answer, err := cdp.Call(ctx, s.page.target, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		ObjectID: root.id, FunctionDeclaration: findFileField, ObjectGroup: objects,
		Arguments: []*runtime.CallArgument{{Value: []byte(quote(label))}},
	})
	if err != nil {
		return object{}, err
	}
	if answer.Result.ObjectID == "" {
		return object{}, errors.New("there is no such file field")
	}
	return object{s.page, answer.Result.ObjectID}, nil
}
