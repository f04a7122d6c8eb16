// The statuses of users, customers and entitlements, as words in a colored frame.
import { html } from "../core/html.js";
import { strings } from "../core/strings.js";
import { Badge } from "./table.js";

/** @typedef {Record<string, "good" | "warning" | "bad" | "neutral">} Tones */

/** @type {Tones} */
const userTones = { pending: "warning", active: "good", inactive: "neutral", suspended: "bad" };

/** @type {Tones} */
const customerTones = { active: "good", suspended: "bad" };

/** @type {Tones} */
const entitlementTones = { scheduled: "warning", active: "good", ended: "neutral" };

/** @param {{status: string}} props */
export function UserStatus({ status }) {
  return html`<${Badge} tone=${userTones[status]}>${strings.users.statuses[status]}<//>`;
}

/** @param {{status: string}} props */
export function CustomerStatus({ status }) {
  return html`<${Badge} tone=${customerTones[status]}>${strings.customers.statuses[status]}<//>`;
}

/** @param {{status: string}} props */
export function EntitlementStatus({ status }) {
  return html`<${Badge} tone=${entitlementTones[status]}>${strings.entitlements.statuses[status]}<//>`;
}
