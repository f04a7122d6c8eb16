// The page of a customer: details, entitlements, trust policies and users, and how to suspend or delete it.
import { useState } from "preact/hooks";
import { announce } from "../../components/announcer.js";
import { Differences } from "../../components/differences.js";
import { Form } from "../../components/fields.js";
import { Loaded, Page, Section } from "../../components/page.js";
import { CustomerStatus } from "../../components/statuses.js";
import { getResource } from "../../core/api.js";
import { useDraft } from "../../core/draft.js";
import { formatDateTime, formatNumber } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { can } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { Entitlements } from "./entitlements.js";
import { customerForm } from "./fields.js";
import { Danger, EndCredentials, StatusAction, SuspendDialog } from "./status.js";
import { TrustPolicies } from "./trustpolicies.js";
import { CustomerUsers } from "./users.js";

const texts = strings.customers;
const path = "/v1/customers/{customerId}";

/** @typedef {import("./fields.js").Customer} Customer */
/** @typedef {{resource: {data: Customer, etag: string}, reload: () => void}} Props */

/** @param {{params: Record<string, string>}} props */
export default function CustomerPage({ params }) {
  const load = useLoad((signal) => getResource(path, { path: params, signal }), [params.customerId]);
  if (!load.data || load.problem) {
    return html`<${Page} title=${texts.title}><${Loaded} load=${load}>${() => null}<//><p><a href="/portal/customers">${texts.back}</a></p><//>`;
  }
  return html`<${View} key=${load.data.data.id} resource=${load.data} reload=${load.reload} />`;
}

/** @param {Props} props */
function View({ resource, reload }) {
  const customer = resource.data;
  const actions = can("customers:write") ? html`<${StatusAction} resource=${resource} reload=${reload} />` : null;
  return html`<${Page} title=${customer.name} actions=${actions} intro=${html`<${CustomerStatus} status=${customer.status} />`}>
    <${Section} title=${texts.edit} actions=${can("audit:read")
      ? html`<a href=${`/portal/audit?customerId=${customer.id}`}>${strings.audit.link}</a>` : null}>
      <dl class="facts">
        ${can("customers:write") ? null : html`<${customerForm.Details} resource=${customer} />`}
        <dt>${texts.users}</dt><dd>${texts.usersOf(formatNumber(customer.users), limitOf(customer))}</dd>
        <dt>${texts.created}</dt><dd>${formatDateTime(customer.createdAt)}</dd>
        <dt>${texts.updated}</dt><dd>${formatDateTime(customer.updatedAt)}</dd>
        <dt>${texts.id}</dt><dd class="mono">${customer.id}</dd>
      </dl>
      ${can("customers:write") ? html`<${Edit} resource=${resource} reload=${reload} />` : null}
    <//>
    <${Entitlements} customer=${customer} />
    <${TrustPolicies} customer=${customer} />
    ${can("users:read") ? html`<${CustomerUsers} customer=${customer} />` : null}
    ${can("customers:write") ? html`<${EndCredentials} customer=${customer} />` : null}
    ${can("customers:delete") ? html`<${Danger} resource=${resource} reload=${reload} />` : null}
    <p><a href="/portal/customers">${texts.back}</a></p>
  <//>`;
}

/** @param {Customer} customer */
function limitOf({ limits }) {
  return limits.users === null ? "" : formatNumber(limits.users);
}

/** @param {Props} props */
function Edit({ resource, reload }) {
  const [isAsking, setAsking] = useState(false);
  const customer = resource.data;
  const { values, set, action, differences } = useDraft({
    path, parameters: { customerId: customer.id }, resource, ...customerForm,
    onSaved: () => {
      announce(strings.users.saved);
      reload();
    },
  });
  const suspends = values.status === "suspended" && customer.status !== "suspended";
  const submit = () => (suspends ? setAsking(true) : action.run());
  return html`<${Form} submit=${strings.common.save} problem=${action.problem} isRunning=${action.isRunning} onSubmit=${submit}>
      <${Differences} differences=${differences} labels=${customerForm.labels} />
      <${customerForm.Fields} values=${values} set=${set} problem=${action.problem} />
    <//>
    ${suspends && isAsking
      ? html`<${SuspendDialog} customer=${customer} act=${() => action.run()} onClose=${() => setAsking(false)} />` : null}`;
}
