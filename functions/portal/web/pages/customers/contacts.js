// The contacts of a customer, to edit.
import { Button } from "../../components/buttons.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";

const texts = strings.customers;
const maxContacts = 20;

/** @typedef {import("./fields.js").Contact} Contact */

/** The fields of a contact, in the order of the inputs. */
const parts = /** @type {const} */ (["name", "email", "role"]);

/**
 * @param {{label: string, value: Contact[], onChange: (contacts: Contact[]) => void, problem?: import("../../core/api.js").Problem}} props
 */
export function Contacts({ label, value: contacts, onChange, problem }) {
  const failures = problem?.errors.filter((e) => e.pointer.startsWith("/contacts")) ?? [];
  /** @type {(index: number, part: Partial<Contact>) => void} */
  const edit = (index, part) => onChange(contacts.map((contact, i) => (i === index ? { ...contact, ...part } : contact)));
  return html`<fieldset class="object-field">
    <legend>${label} <span class="muted">(${strings.common.optional})</span></legend>
    <p class="hint">${texts.contactsHint}</p>
    ${contacts.map((contact, i) => html`<div class="entry" key=${i}>
      ${parts.map((part) => html`<input type="text" name=${`contacts/${i}/${part}`} value=${contact[part] ?? ""}
        aria-label=${texts.contactPart(i + 1, texts.contactParts[part])} placeholder=${texts.contactParts[part]}
        inputmode=${part === "email" ? "email" : undefined} autocomplete="off" spellcheck="false"
        onInput=${(/** @type {any} */ e) => edit(i, { [part]: e.currentTarget.value })} />`)}
      <${Button} label=${texts.removeContact(i + 1)} onClick=${() => onChange(contacts.filter((_, at) => at !== i))}>
        ${strings.common.remove}<//>
    </div>`)}
    ${failures.map((f) => html`<p class="error">${describe(f)}</p>`)}
    <${Button} isDisabled=${contacts.length >= maxContacts} onClick=${() => onChange([...contacts, { name: "", email: "", role: "" }])}>
      ${texts.addContact}<//>
  </fieldset>`;
}

/** @param {import("../../core/api.js").Failure} failure such as of /contacts/0/email */
function describe({ pointer, detail }) {
  const [, , index, part] = pointer.split("/");
  const label = parts.find((name) => name === part);
  return label ? `${texts.contactPart(Number(index) + 1, texts.contactParts[label])}: ${detail}` : detail;
}
