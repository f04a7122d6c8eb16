// The entitlements of customers: which days they are valid. A day is one of UTC, so that it is the same for the vendor and the customer,
// wherever their browsers are. The API has the moment after the last day, and forms and tables have the last day.
import { formatDateTime, formatDay } from "./format.js";
import { strings } from "./strings.js";

/** @typedef {import("./types").Schema<"Entitlement">} Entitlement */

const texts = strings.entitlements;
const dayLength = 24 * 60 * 60 * 1000;

/**
 * The day on which an entitlement begins, or "".
 * @param {string | null} from RFC 3339
 */
export function firstDay(from) {
  return from ? dayOf(new Date(from).getTime()) : "";
}

/**
 * The last day with a moment at which an entitlement is valid, or "".
 * @param {string | null} until RFC 3339
 */
export function lastDay(until) {
  return until ? dayOf(new Date(until).getTime() - 1) : "";
}

/** @param {number} time milliseconds since 1970 */
function dayOf(time) {
  return new Date(time).toISOString().slice(0, 10);
}

/**
 * The beginning of a day, or null for "".
 * @param {string} day YYYY-MM-DD
 */
export function startOf(day) {
  return day ? `${day}T00:00:00Z` : null;
}

/**
 * The end of a day, which is the beginning of the next one, or null for "".
 * @param {string} day YYYY-MM-DD
 */
export function endOf(day) {
  return day ? startOf(dayOf(Date.parse(`${day}T00:00:00Z`) + dayLength)) : null;
}

/**
 * The days on which an entitlement is valid. Programs can store other moments than the beginning of a day, which need their time.
 * @param {{from: string | null, until: string | null}} period
 */
export function formatPeriod({ from, until }) {
  const first = isDay(from) ? formatDay(firstDay(from)) : formatDateTime(from);
  const last = isDay(until) ? formatDay(lastDay(until)) : formatDateTime(until);
  if (from && until) return texts.period(first, last);
  return from ? texts.since(first) : until ? texts.to(last) : texts.always;
}

/** @param {string | null} time RFC 3339 */
function isDay(time) {
  return time !== null && new Date(time).getTime() % dayLength === 0;
}

/**
 * What names an entitlement to people, such as "Chart acme/* ^1.2.0".
 * @param {Entitlement} entitlement
 */
export function nameOf({ artifact, repository, versions }) {
  return `${texts.artifacts[artifact]} ${repository} ${versions}`;
}
