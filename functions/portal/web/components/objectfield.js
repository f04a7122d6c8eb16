// A field for a JSON object, such as metadata: as keys with texts, or as JSON.
import { useState } from "preact/hooks";
import { invalidFields } from "../core/api.js";
import { html } from "../core/html.js";
import { useId } from "../core/id.js";
import { formatObject, parseObject } from "../core/json.js";
import { strings } from "../core/strings.js";
import { Button } from "./buttons.js";
import { TextArea } from "./fields.js";

/** @typedef {{key: string, value: string}} Entry */

/**
 * @param {{label: string, name: string, value: string, onChange: (value: string) => void,
 *   problem?: import("../core/api.js").Problem, hint?: string}} props value: JSON, which may be invalid while the user types; "" is an empty object
 */
export function ObjectField({ label, name, value, onChange, problem, hint = strings.objectField.hint }) {
  const id = useId();
  const entries = toEntries(value);
  const [isJSON, setJSON] = useState(entries === undefined);
  const isText = isJSON || entries === undefined;
  const toggle = html`<${Button} kind="quiet" isDisabled=${entries === undefined} onClick=${() => setJSON(!isText)}>
    ${isText ? strings.objectField.asFields : strings.objectField.asJSON}<//>`;
  return html`<fieldset class="object-field" aria-describedby=${`${id}-hint`}>
    <legend>${label} <span class="muted">(${strings.common.optional})</span></legend>
    <p class="hint" id=${`${id}-hint`}>${entries === undefined ? strings.objectField.onlyJSON : hint}</p>
    ${isText
      ? html`<${TextArea} label=${strings.objectField.json(label)} name=${name} value=${value} onChange=${onChange} problem=${problem} rows=${6}
          hint=${strings.objectField.jsonHint} hidesOptional />${toggle}`
      : html`<${Entries} label=${label} value=${value} entries=${entries ?? []} onChange=${onChange}>${toggle}<//>`}
  </fieldset>`;
}

/** @param {{label: string, value: string, entries: Entry[], onChange: (value: string) => void, children: any}} props */
function Entries({ label, value, entries, onChange, children }) {
  const [typed, setTyped] = useState(entries);
  const isAmbiguous = hasRepeatedKey(typed); // such rows are not passed on, and stay until the user corrects them
  const rows = isAmbiguous || toText(typed) === value ? typed : entries;
  /** @param {Entry[]} next */
  const change = (next) => {
    setTyped(next);
    if (!hasRepeatedKey(next)) onChange(toText(next));
  };
  /** @type {(index: number, part: Partial<Entry>) => void} */
  const edit = (index, part) => change(rows.map((row, i) => (i === index ? { ...row, ...part } : row)));
  return html`<div>
    ${rows.map((row, i) => html`<div class="entry" key=${i}>
      <input type="text" aria-label=${strings.objectField.key(label, i + 1)} value=${row.key} placeholder=${strings.objectField.keyHint}
        autocomplete="off" spellcheck="false" onInput=${(/** @type {any} */ e) => edit(i, { key: e.currentTarget.value })} />
      <input type="text" aria-label=${strings.objectField.value(label, i + 1)} value=${row.value} placeholder=${strings.objectField.valueHint}
        autocomplete="off" spellcheck="false" onInput=${(/** @type {any} */ e) => edit(i, { value: e.currentTarget.value })} />
      <${Button} label=${strings.objectField.removeEntry(label, i + 1)} onClick=${() => change(rows.filter((_, at) => at !== i))}>
        ${strings.common.remove}<//>
    </div>`)}
    ${isAmbiguous ? html`<p class="error" role="alert">${strings.objectField.repeated}</p>` : null}
    <div class="actions">
      <${Button} isDisabled=${rows.some((r) => r.key === "")} onClick=${() => change([...rows, { key: "", value: "" }])}>
        ${strings.objectField.add}<//>
      ${children}
    </div>
  </div>`;
}

/**
 * Returns the entries of an object whose values are all texts, or undefined for any other text.
 * @param {string} text
 * @returns {Entry[] | undefined}
 */
function toEntries(text) {
  const object = parseObject(text);
  if (!object || Object.values(object).some((value) => typeof value !== "string")) return undefined;
  return Object.entries(object).map(([key, value]) => ({ key, value: String(value) }));
}

/** @param {Entry[]} entries */
function toText(entries) {
  return formatObject(Object.fromEntries(entries.filter((e) => e.key !== "" || e.value !== "").map((e) => [e.key, e.value])));
}

/** @param {Entry[]} entries */
function hasRepeatedKey(entries) {
  return new Set(entries.map((e) => e.key)).size < entries.length;
}

/**
 * The object in the field, for the body of a request. It throws a Problem for the field if the text is not a JSON object.
 * @param {string} pointer of the field in the body
 * @param {string} text
 */
export function objectValue(pointer, text) {
  const object = parseObject(text);
  if (object) return object;
  throw invalidFields({ pointer, detail: strings.objectField.invalid });
}
