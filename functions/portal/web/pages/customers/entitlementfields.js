// The fields of an entitlement, with the texts that only they show.
import { Select, optionsOf } from "../../components/fields.js";
import { formOf } from "../../components/resourceform.js";
import { invalidFields } from "../../core/api.js";
import { endOf, firstDay, lastDay, startOf } from "../../core/entitlements.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";

const texts = strings.entitlements;

/** A day, or an empty text. The API has years of four digits. */
const day = { type: "date", max: "9998-12-31" };

export const entitlementForm = formOf([
  [{
    name: "artifact", label: texts.artifact, input: Select, options: optionsOf(Object.keys(texts.artifacts), texts.artifacts), isRequired: true,
    hint: "A chart can be pulled with Helm, from the chart repository or the container registry. An image stands for everything in a " +
      "repository of the container registry, charts included.",
  }],
  [{
    name: "repository", label: texts.repository, isRequired: true,
    hint: "The exact name, such as api or acme/api, a folder with everything below it, such as acme/*, or * for all. Charts of the " +
      "chart repository have names without a folder, such as api. Only the container registry has folders.",
  }],
  [{
    name: "versions", label: texts.versions, isRequired: true,
    hint: "A range of semantic versions, such as ^1.2.0 or >=1.2.0 <3.0.0, or * for all. A range allows only complete versions, such " +
      "as 1.2.3, and no tags such as latest.",
  }],
  [
    { ...day, name: "from", label: "Valid from", read: firstDay, write: startOf, hint: "The first day, in UTC. Leave it empty for no beginning." },
    { ...day, name: "until", label: "Valid until", read: lastDay, write: endOf, hint: "The last day, in UTC. Leave it empty for no end." },
  ],
]);

/**
 * Throws a Problem if a field would give the customer more than the user typed: browsers read a date that lacks a part as no date, and the
 * API takes empty versions as all.
 * @param {HTMLElement | null} fields
 */
export function checkTyped(fields) {
  const inputs = [...(fields?.querySelectorAll("input") ?? [])];
  const errors = inputs.flatMap((input) => {
    if (!input.validity.valid) return [{ pointer: `/${input.name}`, detail: "must be a complete date before the year 9999, or empty" }];
    const isMissing = input.name === "versions" && input.value.trim() === "";
    return isMissing ? [{ pointer: "/versions", detail: "must not be empty; * stands for all versions" }] : [];
  });
  if (errors.length > 0) throw invalidFields(...errors);
}

/**
 * @param {Parameters<typeof entitlementForm.Fields>[0] & {fields: import("preact").RefObject<HTMLDivElement>}} props fields: of checkTyped
 */
export function EntitlementFields({ fields, ...props }) {
  return html`<div ref=${fields}><${entitlementForm.Fields} ...${props} /></div>`;
}
