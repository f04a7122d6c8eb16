// The fields of a customer.
import { Select, TextField, optionsOf } from "../../components/fields.js";
import { ObjectField, objectValue } from "../../components/objectfield.js";
import { Problem } from "../../core/api.js";
import { html } from "../../core/html.js";
import { formatObject } from "../../core/json.js";
import { strings } from "../../core/strings.js";
import { Contacts } from "./contacts.js";

const texts = strings.customers;

/** @typedef {import("../../core/types").Schema<"Customer">} Customer */
/** @typedef {import("../../components/contacts.js").Contact} Contact */
/**
 * @typedef {{name: string, slug: string, status: string, externalId: string, contacts: Contact[], limits: string, metadata: string}} Values
 *   limits: the greatest number of users, or "" for no limit
 */

/** All statuses, as options of a list. */
export const statusOptions = optionsOf(Object.keys(texts.statuses), texts.statuses);

/**
 * @param {Customer} customer
 * @returns {Values}
 */
export function toFields({ name, slug, status, externalId, contacts, limits, metadata }) {
  return { name, slug, status, externalId, contacts, limits: limits.users === null ? "" : String(limits.users), metadata: formatObject(metadata) };
}

/**
 * The body of a request for the given fields. It throws a Problem if a field has no value that JSON can express.
 * @param {Partial<Values>} values
 */
export function toBody(values) {
  /** @type {Record<string, unknown>} */
  const body = { ...values };
  if (values.limits !== undefined) body.limits = { users: limitOf(values.limits) };
  if (values.metadata !== undefined) body.metadata = objectValue("/metadata", values.metadata);
  return body;
}

/**
 * @param {string} text
 * @returns {number | null} null: no limit
 */
function limitOf(text) {
  if (text.trim() === "") return null;
  if (/^\d{1,15}$/.test(text.trim())) return Number(text);
  throw new Problem({ status: 400, code: "VALIDATION_ERROR", detail: strings.common.failures(1), errors: [
    { pointer: "/limits/users", detail: texts.notNumber },
  ] });
}

/**
 * @param {{values: Values, set: (name: keyof Values) => (value: any) => void, problem?: Problem}} props
 */
export function CustomerFields({ values, set, problem }) {
  return html`
    <div class="fields">
      <${TextField} label=${texts.name} name="name" value=${values.name} onChange=${set("name")} problem=${problem} isRequired />
      <${TextField} label=${texts.slug} name="slug" value=${values.slug} onChange=${set("slug")} problem=${problem}
        hint=${texts.slugHint} isRequired />
    </div>
    <${Select} label=${texts.status} name="status" value=${values.status} onChange=${set("status")} problem=${problem}
      options=${statusOptions} hint=${texts.statusHint} isRequired />
    <div class="fields">
      <${TextField} label=${texts.externalId} name="externalId" value=${values.externalId} onChange=${set("externalId")} problem=${problem}
        hint=${texts.externalIdHint} />
      <${TextField} label=${texts.limit} name="limits" inputmode="numeric" value=${values.limits} onChange=${set("limits")} problem=${problem}
        hint=${texts.limitHint} />
    </div>
    <${Contacts} contacts=${values.contacts} onChange=${set("contacts")} problem=${problem} />
    <${ObjectField} label=${texts.metadata} name="metadata" value=${values.metadata} onChange=${set("metadata")} problem=${problem} />`;
}
