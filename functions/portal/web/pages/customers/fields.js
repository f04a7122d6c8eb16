// The fields of a customer, with the texts that only they show.
import { ContactList } from "../../components/contacts.js";
import { Select, optionsOf } from "../../components/fields.js";
import { NumberField, numberValue } from "../../components/numberfield.js";
import { formOf, objectField } from "../../components/resourceform.js";
import { formatNumber } from "../../core/format.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { Contacts } from "./contacts.js";

const texts = strings.customers;

/** @typedef {import("../../core/types").Schema<"Customer">} Customer */
/** @typedef {import("../../components/contacts.js").Contact} Contact */

/** All statuses, as options of a list. */
export const statusOptions = optionsOf(Object.keys(texts.statuses), texts.statuses);

/** A number, or an empty text for no limit. */
const limit = {
  input: NumberField,
  read: (/** @type {number | null} */ stored) => String(stored ?? ""),
  write: (/** @type {string} */ text, /** @type {string} */ pointer) =>
    (text.trim() === "" ? null : numberValue(pointer, text, "must be a whole number, or empty for no limit")),
  show: (/** @type {number | null} */ stored) => (stored === null ? "No limit" : formatNumber(stored)),
};

export const customerForm = formOf([
  [
    { name: "name", label: texts.name, isRequired: true },
    {
      name: "slug", label: texts.slug, isRequired: true, isDetail: true, show: (slug) => html`<span class="mono">${slug}</span>`,
      hint: "A unique short name: lower-case letters and digits, in words joined by hyphens.",
    },
  ],
  [{
    name: "status", label: texts.status, input: Select, options: statusOptions, isRequired: true,
    hint: "While a customer is suspended, no credential of its users works.",
  }],
  [{
    name: "externalId", label: texts.externalId, isDetail: true,
    hint: "The unique ID of the customer in another system, such as a CRM.",
  }],
  [
    { ...limit, name: "limits/users", label: "Limit of users", hint: "How many users the customer can have. Leave it empty for no limit." },
    {
      ...limit, name: "limits/requestsPerMinute", label: "Requests per minute", isDetail: true,
      hint: "How many requests all users of the customer together can make per minute, also in the portal. Leave it empty for no limit.",
    },
  ],
  [{
    name: "contacts", label: "Contacts", input: Contacts, read: (stored = []) => stored, isDetail: true,
    show: (contacts) => html`<${ContactList} contacts=${contacts} />`,
  }],
  [{ ...objectField, name: "metadata", label: "Metadata", isDetail: true }],
]);
