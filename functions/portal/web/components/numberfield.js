// A field for a whole number. Its value is text, because it may be no number while the user types.
import { invalidFields } from "../core/api.js";
import { html } from "../core/html.js";
import { TextField } from "./fields.js";

/** @param {import("./fields.js").FieldProps} props */
export function NumberField(props) {
  return html`<${TextField} ...${props} inputmode="numeric" />`;
}

/**
 * The number in the field, for the body of a request. It throws a Problem for the field if the text is not a whole number from 0. The API
 * checks the bounds.
 * @param {string} pointer of the field in the body
 * @param {string} text
 * @param {string} detail what the problem says
 */
export function numberValue(pointer, text, detail) {
  const digits = text.trim();
  if (/^\d{1,15}$/.test(digits)) return Number(digits); // JavaScript has every number of 15 digits exactly
  throw invalidFields({ pointer, detail });
}
