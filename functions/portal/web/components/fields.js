// Form fields: a label, a hint, the control and its error. A field shows the failure whose pointer names it.
import { useRef, useState } from "preact/hooks";
import { html } from "../core/html.js";
import { useId } from "../core/id.js";
import { strings } from "../core/strings.js";
import { Button } from "./buttons.js";
import { ProblemMessage } from "./page.js";

/** @typedef {import("../core/api.js").Problem} Problem */

/**
 * A form. While isRunning is true, the button does nothing. Typed values stay after a failure.
 * @param {{onSubmit: () => void, problem?: Problem, isRunning?: boolean, submit: string, kind?: "primary" | "danger",
 *   onCancel?: () => void, children: any}} props submit: the text of the button
 */
export function Form({ onSubmit, problem, isRunning, submit, kind = "primary", onCancel, children }) {
  /** @param {SubmitEvent} event */
  const send = (event) => {
    event.preventDefault();
    onSubmit();
  };
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  return html`<form ref=${form} onSubmit=${send} novalidate>
    ${children}
    <${ProblemMessage} problem=${problem} labelOf=${(/** @type {string} */ pointer) => labelOf(form.current, pointer)} />
    <div class="form-actions">
      <${Button} type="submit" kind=${kind} isRunning=${isRunning}>${submit}<//>
      ${onCancel ? html`<${Button} onClick=${onCancel}>${strings.common.cancel}<//>` : null}
    </div>
  </form>`;
}

/**
 * The label of the field that a pointer names, without the word "optional", or undefined.
 * @param {HTMLFormElement | null} form
 * @param {string} pointer
 */
function labelOf(form, pointer) {
  const inputs = /** @type {HTMLInputElement[]} */ ([...(form?.elements ?? [])]);
  const found = inputs.find((input) => input.name && isOf(pointer, input.name));
  return found?.labels?.[0]?.firstChild?.textContent ?? found?.ariaLabel ?? undefined;
}

/**
 * @typedef {object} FieldProps
 * @property {string} label
 * @property {string} value
 * @property {(value: string) => void} onChange
 * @property {string} [name] the field in the API's body, such as name or limits/users, which finds its error in problem
 * @property {Problem} [problem]
 * @property {string} [hint]
 * @property {boolean} [isRequired]
 * @property {boolean} [isDisabled]
 * @property {boolean} [hidesOptional] hides the word "optional", for filters and other controls that are no input of a form
 */

/**
 * A field of one line.
 * @param {FieldProps & {type?: string, autocomplete?: string, inputmode?: string, maxLength?: number, min?: string, max?: string}} props
 */
export function TextField({ type = "text", autocomplete = "off", inputmode, maxLength, min, max, ...field }) {
  return html`<${Labeled} ...${field} control=${(/** @type {object} */ attributes) => html`<input type=${type} autocomplete=${autocomplete}
    inputmode=${inputmode} maxlength=${maxLength} min=${min} max=${max} spellcheck="false" value=${field.value}
    onInput=${(/** @type {any} */ e) => field.onChange(e.currentTarget.value)} ...${attributes} />`} />`;
}

/**
 * A field of several lines.
 * @param {FieldProps & {rows?: number, maxLength?: number}} props
 */
export function TextArea({ rows = 4, maxLength, ...field }) {
  return html`<${Labeled} ...${field} control=${(/** @type {object} */ attributes) => html`<textarea rows=${rows} maxlength=${maxLength}
    value=${field.value} onInput=${(/** @type {any} */ e) => field.onChange(e.currentTarget.value)} ...${attributes}></textarea>`} />`;
}

/**
 * The options of a Select, in the order of the values.
 * @param {string[]} values
 * @param {Record<string, string>} labels by value
 */
export function optionsOf(values, labels) {
  return values.map((value) => ({ value, label: labels[value] }));
}

/**
 * A list of values to choose one from.
 * @param {FieldProps & {options: {value: string, label: string}[]}} props
 */
export function Select({ options, ...field }) {
  return html`<${Labeled} ...${field} control=${(/** @type {object} */ attributes) => html`<select value=${field.value}
    onChange=${(/** @type {any} */ e) => field.onChange(e.currentTarget.value)} ...${attributes}>
    ${options.map((o) => html`<option key=${o.value} value=${o.value} selected=${o.value === field.value}>${o.label}</option>`)}
  </select>`} />`;
}

/**
 * A box to check.
 * @param {{label: string, value: boolean, onChange: (value: boolean) => void, hint?: string, isDisabled?: boolean}} props
 */
export function Checkbox({ label, value, onChange, hint, isDisabled }) {
  const id = useId();
  return html`<div class="field check">
    <input type="checkbox" id=${id} checked=${value} disabled=${isDisabled} aria-describedby=${hint ? `${id}-hint` : undefined}
      onChange=${(/** @type {any} */ e) => onChange(e.currentTarget.checked)} />
    <label for=${id}>${label}</label>
    ${hint ? html`<p class="hint" id=${`${id}-hint`}>${hint}</p>` : null}
  </div>`;
}

/**
 * @param {FieldProps & {control: (attributes: object) => any}} props
 */
function Labeled({ label, name, problem, hint, isRequired, isDisabled, hidesOptional, control }) {
  const id = useId();
  const failure = name ? problem?.errors.find((e) => isOf(e.pointer, name))?.detail : undefined;
  const described = [hint && `${id}-hint`, failure && `${id}-error`].filter(Boolean).join(" ");
  return html`<div class=${failure ? "field invalid" : "field"}>
    <label for=${id}>${label}${isRequired || hidesOptional ? null : html` <span class="muted">(${strings.common.optional})</span>`}</label>
    ${hint ? html`<p class="hint" id=${`${id}-hint`}>${hint}</p>` : null}
    ${control({
      id, name, disabled: isDisabled, "aria-required": isRequired ? "true" : undefined,
      "aria-invalid": failure ? "true" : undefined, "aria-describedby": described || undefined,
    })}
    ${failure ? html`<p class="error" id=${`${id}-error`}>${failure}</p>` : null}
  </div>`;
}

/**
 * Whether a pointer is of a field, or of a part of it.
 * @param {string} pointer such as #/metadata/plan
 * @param {string} name such as metadata or limits/users
 */
function isOf(pointer, name) {
  return `${pointer.replace(/^#?\/?/, "")}/`.startsWith(`${name}/`);
}

/**
 * The state of a form: its values, and a function that sets one of them.
 * @template {Record<string, any>} V
 * @param {V} initial
 * @returns {[V, (name: keyof V) => (value: any) => void, (values: V) => void]}
 */
export function useFields(initial) {
  const [values, setValues] = useState(initial);
  return [values, (name) => (value) => setValues((before) => ({ ...before, [name]: value })), setValues];
}
