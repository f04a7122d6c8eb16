// The contacts of a customer, to read.
import { html } from "../core/html.js";

/** @typedef {import("../core/types").Schema<"Contact">} Contact */

/** @param {{contacts: Contact[]}} props */
export function ContactList({ contacts }) {
  if (contacts.length === 0) return "–";
  return html`<ul class="plain">${contacts.map((c) => html`<li>
    ${c.name ? html`<bdi>${c.name}</bdi> · ` : null}${c.email}${c.role ? html` (<bdi>${c.role}</bdi>)` : null}</li>`)}</ul>`;
}
