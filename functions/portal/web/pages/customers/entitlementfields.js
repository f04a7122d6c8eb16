// The fields of an entitlement.
import { Select, TextField, optionsOf } from "../../components/fields.js";
import { invalidFields } from "../../core/api.js";
import { endOf, firstDay, lastDay, startOf } from "../../core/entitlements.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";

const texts = strings.entitlements;
const latestDay = "9998-12-31"; // the API has years of four digits

/** @typedef {import("../../core/api.js").Problem} Problem */
/** @typedef {import("../../core/entitlements.js").Entitlement} Entitlement */
/** @typedef {{artifact: string, repository: string, versions: string, from: string, until: string}} Values from, until: days, or "" */

/**
 * @param {Entitlement} entitlement
 * @returns {Values}
 */
export function toFields({ artifact, repository, versions, from, until }) {
  return { artifact, repository, versions, from: firstDay(from), until: lastDay(until) };
}

/**
 * The body of a request for the given fields.
 * @param {Partial<Values>} values
 */
export function toBody(values) {
  /** @type {Record<string, unknown>} */
  const body = { ...values };
  if (values.from !== undefined) body.from = startOf(values.from);
  if (values.until !== undefined) body.until = endOf(values.until);
  return body;
}

/**
 * Throws a Problem if a field would give the customer more than the user typed: browsers read a date that lacks a part as no date, and the
 * API takes empty versions as all.
 * @param {HTMLElement | null} fields
 */
export function checkTyped(fields) {
  const inputs = [...(fields?.querySelectorAll("input") ?? [])];
  const errors = inputs.flatMap((input) => {
    if (!input.validity.valid) return [{ pointer: `/${input.name}`, detail: texts.notDate }];
    return input.name === "versions" && input.value.trim() === "" ? [{ pointer: "/versions", detail: texts.noVersions }] : [];
  });
  if (errors.length > 0) throw invalidFields(...errors);
}

/**
 * @param {{values: Values, set: (name: keyof Values) => (value: any) => void, problem?: Problem,
 *   fields: import("preact").RefObject<HTMLDivElement>}} props fields: of checkTyped
 */
export function EntitlementFields({ values, set, problem, fields }) {
  return html`<div ref=${fields}>
    <${Select} label=${texts.artifact} name="artifact" value=${values.artifact} onChange=${set("artifact")} problem=${problem}
      options=${optionsOf(Object.keys(texts.artifacts), texts.artifacts)} hint=${texts.artifactHint} isRequired />
    <${TextField} label=${texts.repository} name="repository" value=${values.repository} onChange=${set("repository")} problem=${problem}
      hint=${texts.repositoryHint} isRequired />
    <${TextField} label=${texts.versions} name="versions" value=${values.versions} onChange=${set("versions")} problem=${problem}
      hint=${texts.versionsHint} isRequired />
    <div class="fields">
      <${TextField} type="date" label=${texts.from} name="from" max=${latestDay} value=${values.from} onChange=${set("from")}
        problem=${problem} hint=${texts.fromHint} />
      <${TextField} type="date" label=${texts.until} name="until" max=${latestDay} value=${values.until} onChange=${set("until")}
        problem=${problem} hint=${texts.untilHint} />
    </div>
  </div>`;
}
