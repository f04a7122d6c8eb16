// The trust policies of a customer: a page of the list, and its table.
import { get } from "../core/api.js";
import { usePage } from "../core/hooks.js";
import { html } from "../core/html.js";
import { strings } from "../core/strings.js";
import { CopyButton } from "./copy.js";
import { Scopes } from "./credentials.js";
import { Loaded } from "./page.js";
import { Pager, Table } from "./table.js";

/** @typedef {import("../core/types").Schema<"TrustPolicy">} TrustPolicy */
/** @typedef {import("../core/types").Schema<"TrustCondition">} TrustCondition */
/** @typedef {{data: TrustPolicy[], pagination: {total: number, offset: number}}} Listed */

const texts = strings.trustPolicies;
const limit = 10;

/**
 * A page of the trust policies of a customer, for TrustPolicyList.
 * @param {string} customerId
 */
export function useTrustPolicies(customerId) {
  return usePage((query, signal) => get("/v1/customers/{customerId}/trust-policies", { path: { customerId }, query, signal }), limit, [customerId]);
}

/**
 * @param {{caption: string, list: ReturnType<typeof useTrustPolicies>, actions?: import("./table.js").Column<TrustPolicy>, empty: any}} props
 *   actions: the column with the buttons; empty: what to show without trust policies
 */
export function TrustPolicyList({ caption, list, actions, empty }) {
  const columns = [
    { title: texts.name, cell: (/** @type {TrustPolicy} */ p) => html`<${Name} policy=${p} />` },
    { title: texts.tokens, cell: (/** @type {TrustPolicy} */ p) => html`<${Tokens} policy=${p} />` },
    { title: texts.mayPull, cell: (/** @type {TrustPolicy} */ p) => html`<${Scopes} scopes=${p.scopes} />` },
    { title: texts.life, cell: (/** @type {TrustPolicy} */ p) => texts.minutes(p.maxMinutes) },
    ...(actions ? [actions] : []),
  ];
  return html`<${Loaded} load=${list.load}>${(/** @type {Listed} */ { data, pagination }) => html`
    ${pagination.total > 0
      ? html`<${Table} caption=${caption} columns=${columns} rows=${data} rowKey=${(/** @type {TrustPolicy} */ p) => p.id} />` : empty}
    <${Pager} offset=${pagination.offset} limit=${limit} total=${pagination.total} onChange=${list.setOffset} />`}
  <//>`;
}

/**
 * The values of a condition, which has one or several.
 * @param {TrustCondition} condition
 */
export const valuesOf = ({ value, values }) => values ?? [value ?? ""];

/**
 * The values of a condition in words.
 * @param {TrustCondition} condition
 */
export const describeValues = (condition) => valuesOf(condition).join(texts.or);

/** @param {{policy: TrustPolicy}} props */
function Name({ policy }) {
  return html`<div class="main-cell"><bdi class="strong">${policy.name}</bdi>
    <div class="small"><span class="mono">${policy.id}</span> <${CopyButton} label=${texts.idOf(policy.name)} text=${policy.id} /></div></div>`;
}

/** @param {{policy: TrustPolicy}} props */
function Tokens({ policy }) {
  return html`<dl class="claims">
    <${Claim} name=${texts.issuer} value=${policy.issuer}>${policy.jwks ? html` <span class="small">(${texts.hasKeys})</span>` : null}<//>
    <${Claim} name=${texts.audience} value=${policy.audience} />
    ${policy.conditions.map((c) => html`<${Claim} name=${html`<bdi class="mono">${c.claim}</bdi>`} value=${describeValues(c)} />`)}
  </dl>`;
}

/** @param {{name: any, value: string, children?: any}} props */
function Claim({ name, value, children }) {
  return html`<div><dt>${name}</dt> <dd><bdi class="mono">${value}</bdi>${children}</dd></div>`;
}
