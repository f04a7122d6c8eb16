// The fields of a trust policy.
import { ScopeFields } from "../../components/scopes.js";
import { TextArea, TextField } from "../../components/fields.js";
import { NumberField, numberValue } from "../../components/numberfield.js";
import { describeScopes, scopesOf, toScopeValues } from "../../core/credentials.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { Conditions } from "./conditions.js";

const texts = strings.trustPolicies;

/** @typedef {import("../../components/trustpolicies.js").TrustPolicy} TrustPolicy */
/** @typedef {import("../../core/api.js").Problem} Problem */
/** @typedef {import("./conditions.js").Condition} Condition */
/**
 * @typedef {{name: string, issuer: string, audience: string, conditions: Condition[],
 *   scopes: import("../../core/credentials.js").ScopeValues, maxMinutes: string, jwks: string}} Values
 */
/** @typedef {"github" | "gitlab" | "kubernetes" | "other"} Platform */

/**
 * What is typical for a platform: the issuer, and examples of conditions. The form shows the examples where a value is missing and does not
 * fill them in, because a policy with an example would trust somebody else.
 * @type {Record<Platform, {issuer: string, examples: Record<string, string>}>}
 */
export const presets = {
  github: {
    issuer: "https://token.actions.githubusercontent.com",
    examples: { sub: "repo:acme/app:ref:refs/heads/main", repository_owner_id: "65" },
  },
  gitlab: { issuer: "https://gitlab.com", examples: { sub: "project_path:acme/app:ref_type:branch:ref:main", project_id: "20" } },
  kubernetes: { issuer: "", examples: { sub: "system:serviceaccount:acme:puller" } },
  other: { issuer: "", examples: { sub: "" } },
};

/**
 * The fields that a preset fills in.
 * @param {Platform} platform
 */
export function presetFields(platform) {
  const { issuer, examples } = presets[platform];
  return { issuer, conditions: Object.keys(examples).map((claim) => ({ claim, value: "" })) };
}

/**
 * The platform of an issuer. The issuers of Kubernetes clusters have no common address.
 * @param {string} issuer
 */
export function platformOf(issuer) {
  const found = Object.entries(presets).find(([, preset]) => preset.issuer === issuer && issuer !== "");
  return /** @type {Platform} */ (found ? found[0] : "other");
}

/**
 * @param {TrustPolicy} policy
 * @returns {Values}
 */
export function toFields({ name, issuer, audience, conditions, scopes, maxMinutes, jwks }) {
  return {
    name, issuer, audience, conditions: conditions.map(({ claim, value }) => ({ claim, value })), scopes: toScopeValues(scopes),
    maxMinutes: String(maxMinutes), jwks,
  };
}

/**
 * The body of a request for the given fields. It throws a Problem if the minutes are no number.
 * @param {Partial<Values>} values
 */
export function toBody(values) {
  /** @type {Record<string, unknown>} */
  const body = { ...values };
  if (values.scopes) body.scopes = scopesOf(values.scopes);
  if (values.maxMinutes !== undefined) body.maxMinutes = numberValue("/maxMinutes", values.maxMinutes, texts.notMinutes);
  if (values.jwks !== undefined) body.jwks = values.jwks.trim();
  return body;
}

/**
 * The value of a field in words, for the changes that someone else made.
 * @param {any} value
 * @param {string} field
 */
export function describe(value, field) {
  if (field === "conditions") return value.map((/** @type {Condition} */ c) => `${c.claim} = ${c.value}`).join(", ");
  return field === "scopes" ? describeScopes(scopesOf(value)).join(", ") : value;
}

/**
 * @param {{values: Values, set: (name: keyof Values) => (value: any) => void, platform: Platform, problem?: Problem}} props
 */
export function TrustPolicyFields({ values, set, platform, problem }) {
  return html`
    <${TextField} label=${texts.name} name="name" value=${values.name} onChange=${set("name")} problem=${problem} hint=${texts.nameHint}
      isRequired />
    <${TextField} label=${texts.issuer} name="issuer" inputmode="url" value=${values.issuer} onChange=${set("issuer")} problem=${problem}
      hint=${texts.issuerHints[platform]} isRequired />
    <${TextField} label=${texts.audience} name="audience" value=${values.audience} onChange=${set("audience")} problem=${problem}
      hint=${texts.audienceHint} isRequired />
    <${Conditions} conditions=${values.conditions} onChange=${set("conditions")} examples=${presets[platform].examples}
      hint=${texts.conditionHints[platform]} problem=${problem} />
    <${ScopeFields} label=${texts.scopes} value=${values.scopes} onChange=${set("scopes")} problem=${problem} />
    <${NumberField} label=${texts.maxMinutes} name="maxMinutes" value=${values.maxMinutes} onChange=${set("maxMinutes")}
      problem=${problem} hint=${texts.maxMinutesHint} isRequired />
    <${TextArea} label=${texts.jwks} name="jwks" value=${values.jwks} onChange=${set("jwks")} problem=${problem} hint=${texts.jwksHint} />`;
}
