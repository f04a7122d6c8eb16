// Forms and details of a resource. They are made from a description of its fields.
import { html } from "../core/html.js";
import { formatObject } from "../core/json.js";
import { TextField } from "./fields.js";
import { ObjectField, objectValue } from "./objectfield.js";

/**
 * The description of a field. The input also gets it, so it can have properties for the input, such as a hint.
 * @typedef {object} Described
 * @property {string} name the member in the body of a request, such as name, or limits/users for a nested one
 * @property {string} label
 * @property {any} [input] the component; default: TextField
 * @property {(stored: any) => unknown} [read] returns the value in the form; stored is undefined in a new resource
 * @property {(value: any, pointer: string) => unknown} [write] returns the value in a request
 * @property {boolean} [isDetail] whether Details shows it
 * @property {(stored: any) => any} [show] returns what Details shows
 */
/** @typedef {Described & Record<string, any>} Field */

/** A part of each field with a JSON object. */
export const objectField = {
  input: ObjectField,
  read: (/** @type {object} */ stored = {}) => formatObject(stored),
  write: (/** @type {string} */ text, /** @type {string} */ pointer) => objectValue(pointer, text),
  show: (/** @type {object} */ stored) => (formatObject(stored) ? html`<code class="pre">${formatObject(stored)}</code>` : "–"),
};

/** @param {Field[][]} rows the fields of a row are beside each other if the window is wide enough */
export function formOf(rows) {
  const fields = rows.flat();
  return {
    labels: Object.fromEntries(fields.map(({ name, label }) => [name, label])),

    /**
     * The values of the form.
     * @param {object} resource for a new resource, the fields that are not empty at first
     * @returns {Record<string, any>}
     */
    toFields: (resource) => Object.fromEntries(fields.map(({ name, read = orEmpty }) => [name, read(storedAt(resource, name))])),

    /**
     * The body of a request for the given values. It throws a Problem if the text of a field is not valid JSON.
     * @param {Record<string, any>} values
     */
    toBody: (values) => {
      /** @type {Record<string, any>} */
      const body = {};
      for (const { name, write = orEmpty } of fields.filter((field) => values[field.name] !== undefined)) {
        const [member, part] = name.split("/");
        const value = write(values[name], `/${name}`);
        body[member] = part ? { ...body[member], [part]: value } : value;
      }
      return body;
    },

    /**
     * The inputs. Each also gets the other properties.
     * @param {{values: Record<string, any>, set: (name: any) => (value: any) => void, problem?: import("./fields.js").Problem}} props
     */
    Fields: ({ values, set, ...others }) => rows.map((row) => {
      const inputs = row.map(({ input = TextField, ...field }) => html`<${input} key=${field.name} ...${field} ...${others}
        value=${values[field.name]} onChange=${set(field.name)} />`);
      return inputs.length > 1 ? html`<div class="fields aligned">${inputs}</div>` : inputs;
    }),

    /**
     * The values for users who cannot change them, as items of a description list.
     * @param {{resource: object}} props
     */
    Details: ({ resource }) => fields.filter((field) => field.isDetail).map(({ name, label, show = showText }) =>
      html`<dt>${label}</dt><dd>${show(storedAt(resource, name))}</dd>`),
  };
}

/** @type {(resource: any, name: string) => any} */
const storedAt = (resource, name) => name.split("/").reduce((value, part) => value?.[part], resource);

/** @type {(value: any) => any} */
const orEmpty = (value) => value ?? "";

/** @param {string} text */
const showText = (text) => html`<bdi>${text || "–"}</bdi>`;
