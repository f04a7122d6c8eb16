// The customer to whom the user belongs, what it may pull, and its trust policies, to read.
import { ContactList } from "../../components/contacts.js";
import { EntitlementList, useEntitlements } from "../../components/entitlements.js";
import { Empty, Loaded, Page, Section } from "../../components/page.js";
import { CustomerStatus } from "../../components/statuses.js";
import { TrustPolicyList, useTrustPolicies } from "../../components/trustpolicies.js";
import { get } from "../../core/api.js";
import { formatNumber } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { currentUser } from "../../core/session.js";
import { strings } from "../../core/strings.js";

const texts = strings.company;

/** @typedef {import("../../core/types").Schema<"Customer">} Customer */

export default function Company() {
  const customerId = currentUser().customerId ?? "";
  const load = useLoad((signal) => get("/v1/customers/{customerId}", { path: { customerId }, signal }), [customerId]);
  return html`<${Page} title=${texts.title} intro=${texts.intro}>
    <${Loaded} load=${load}>${(/** @type {{data: Customer}} */ { data }) => html`<${Details} customer=${data} />`}<//>
    <${Entitlements} customerId=${customerId} />
    <${TrustPolicies} customerId=${customerId} />
  <//>`;
}

/** @param {{customerId: string}} props */
function Entitlements({ customerId }) {
  const list = useEntitlements(customerId);
  return html`<${Section} title=${texts.entitlements}>
    <${EntitlementList} caption=${texts.entitlements} list=${list}
      empty=${html`<${Empty} title=${texts.noEntitlements}><p>${texts.noEntitlementsText}</p><//>`} />
  <//>`;
}

/** @param {{customerId: string}} props */
function TrustPolicies({ customerId }) {
  const list = useTrustPolicies(customerId);
  return html`<${Section} title=${texts.trustPolicies}>
    <p class="hint">${texts.trustPoliciesHint}</p>
    <${TrustPolicyList} caption=${texts.trustPolicies} list=${list}
      empty=${html`<${Empty} title=${texts.noTrustPolicies}><p>${texts.noTrustPoliciesText}</p><//>`} />
  <//>`;
}

/** @param {{customer: Customer}} props */
function Details({ customer }) {
  const requests = customer.limits.requestsPerMinute;
  const limit = customer.limits.users === null ? "" : formatNumber(customer.limits.users);
  return html`<${Section} title=${texts.details}>
    <dl class="facts">
      <dt>${texts.name}</dt><dd><bdi>${customer.name}</bdi></dd>
      <dt>${texts.status}</dt><dd><${CustomerStatus} status=${customer.status} /></dd>
      <dt>${texts.users}</dt><dd>${strings.customers.usersOf(formatNumber(customer.users), limit)}</dd>
      ${requests === null ? null : html`<dt>${texts.requests}</dt><dd>${formatNumber(requests)}</dd>`}
      <dt>${texts.contacts}</dt><dd><${ContactList} contacts=${customer.contacts} /></dd>
    </dl>
  <//>`;
}
