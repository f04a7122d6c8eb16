// The fields of a customer.
import { Select, TextField, optionsOf } from "../../components/fields.js";
import { NumberField, numberValue } from "../../components/numberfield.js";
import { ObjectField, objectValue } from "../../components/objectfield.js";
import { html } from "../../core/html.js";
import { formatObject } from "../../core/json.js";
import { strings } from "../../core/strings.js";
import { Contacts } from "./contacts.js";

const texts = strings.customers;

/** @typedef {import("../../core/types").Schema<"Customer">} Customer */
/** @typedef {import("../../core/api.js").Problem} Problem */
/** @typedef {import("../../components/contacts.js").Contact} Contact */
/**
 * @typedef {{name: string, slug: string, status: string, externalId: string, contacts: Contact[], usersLimit: string, requestsLimit: string,
 *   metadata: string}} Values usersLimit, requestsLimit: "" for no limit
 */

/** All statuses, as options of a list. */
export const statusOptions = optionsOf(Object.keys(texts.statuses), texts.statuses);

/**
 * @param {Customer} customer
 * @returns {Values}
 */
export function toFields({ name, slug, status, externalId, contacts, limits, metadata }) {
  return {
    name, slug, status, externalId, contacts, usersLimit: String(limits.users ?? ""), requestsLimit: String(limits.requestsPerMinute ?? ""),
    metadata: formatObject(metadata),
  };
}

/**
 * The body of a request for the given fields. It throws a Problem if a field has no value that JSON can express.
 * @param {Partial<Values>} values
 */
export function toBody(values) {
  const { usersLimit, requestsLimit, ...others } = values;
  /** @type {Record<string, unknown>} */
  const body = others;
  if (usersLimit !== undefined || requestsLimit !== undefined) {
    body.limits = { users: limitOf("/limits/users", usersLimit), requestsPerMinute: limitOf("/limits/requestsPerMinute", requestsLimit) };
  }
  if (values.metadata !== undefined) body.metadata = objectValue("/metadata", values.metadata);
  return body;
}

/**
 * @param {string} pointer
 * @param {string} [text]
 * @returns {number | null | undefined} null: no limit; undefined: unchanged
 */
function limitOf(pointer, text) {
  if (text === undefined) return undefined;
  return text.trim() === "" ? null : numberValue(pointer, text, texts.notNumber);
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
    </div>
    <div class="fields">
      <${NumberField} label=${texts.usersLimit} name="limits/users" value=${values.usersLimit} onChange=${set("usersLimit")}
        problem=${problem} hint=${texts.usersLimitHint} />
      <${NumberField} label=${texts.requestsLimit} name="limits/requestsPerMinute" value=${values.requestsLimit}
        onChange=${set("requestsLimit")} problem=${problem} hint=${texts.requestsLimitHint} />
    </div>
    <${Contacts} contacts=${values.contacts} onChange=${set("contacts")} problem=${problem} />
    <${ObjectField} label=${texts.metadata} name="metadata" value=${values.metadata} onChange=${set("metadata")} problem=${problem} />`;
}
