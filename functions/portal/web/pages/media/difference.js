// How two values differ, in a few words. The sentence of the comparison says the same at length.
import { Badge } from "../../components/table.js";
import { formatNumber } from "../../core/format.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";

/** @typedef {import("../../core/types").Schema<"Difference">} Difference */

/** @type {Record<Difference["relation"], "good" | "warning" | "neutral">} */
const tones = { equal: "good", different: "warning", onlyFirst: "warning", onlySecond: "warning", neither: "neutral", inDoubt: "warning" };

/** @param {{difference: Difference | undefined}} props undefined in an answer of an older version of the service */
export function DifferenceNote({ difference }) {
  if (!difference) return null;
  return html`<div><${Badge} tone=${tones[difference.relation]}>${strings.media.relations[difference.relation]}<//> ${detail(difference)}</div>`;
}

/** @param {Difference} difference */
function detail({ amount, percent, days, currencies, isFormOnly }) {
  if (amount !== undefined) return typeof percent === "number" ? `${signed(amount)} (${strings.common.percent(signed(percent))})` : signed(amount);
  if (days) return strings.media.days(days);
  if (currencies) return currencies.join(", ");
  return isFormOnly ? strings.media.formOnly : "";
}

/** @param {number} value */
function signed(value) {
  return (value > 0 ? "+" : "") + formatNumber(value, 20);
}
