// The list of tokens and passwords, with their actions.
import { Button } from "../../components/buttons.js";
import { Select } from "../../components/fields.js";
import { Empty, Section } from "../../components/page.js";
import { Badge, Pager, Table } from "../../components/table.js";
import { describeScopes, isWorking, stateOf } from "../../core/credentials.js";
import { formatDate, formatRelative } from "../../core/format.js";
import { html } from "../../core/html.js";
import { setQuery, useAddress } from "../../core/router.js";
import { can } from "../../core/session.js";
import { strings } from "../../core/strings.js";

/** @typedef {import("../../core/credentials.js").Token} Token */
/** @typedef {{token: Token, action: "renew" | "revoke"}} Chosen */

const texts = strings.access;
const pageSize = 25;
const listLimit = 500; // of the API

/** @param {{all: Token[], choose: (chosen: Chosen) => void}} props */
export function Tokens({ all, choose }) {
  const { query } = useAddress();
  const showAll = query.get("show") === "all";
  const rows = showAll ? all : all.filter(isWorking);
  const offset = Math.max(0, Math.min(Math.trunc(Number(query.get("offset")) || 0), rows.length - 1));
  const filter = html`<${Select} label=${texts.show} hidesOptional value=${showAll ? "all" : "working"}
    options=${[{ value: "working", label: texts.showWorking }, { value: "all", label: texts.showAll }]}
    onChange=${(/** @type {string} */ value) => setQuery({ show: value === "all" ? "all" : "", offset: "" })} />`;
  return html`<${Section} title=${texts.list} actions=${all.length > 0 ? filter : null}>
    ${rows.length === 0 ? html`<${Empty} title=${all.length > 0 ? texts.noneWorking : texts.none}><p>${texts.noneText}</p><//>` : html`
      <${Table} caption=${texts.list} columns=${columns(all, choose)} rows=${rows.slice(offset, offset + pageSize)}
        rowKey=${(/** @type {Token} */ t) => t.id} />
      <${Pager} offset=${offset} limit=${pageSize} total=${rows.length}
        onChange=${(/** @type {number} */ n) => setQuery({ offset: n || "" })} />`}
    ${all.length >= listLimit ? html`<p class="hint">${texts.newest}</p>` : null}
  <//>`;
}

/**
 * @param {Token[]} all
 * @param {(chosen: Chosen) => void} choose
 */
function columns(all, choose) {
  return [
    { title: strings.credentials.name, cell: (/** @type {Token} */ t) => html`<${Name} token=${t} />` },
    { title: strings.credentials.scopes, cell: (/** @type {Token} */ t) => html`<${Scopes} scopes=${t.scopes} />` },
    { title: strings.credentials.lastUsed, cell: (/** @type {Token} */ t) => (t.lastUsedAt ? formatRelative(t.lastUsedAt) : strings.credentials.never) },
    { title: strings.credentials.expires, cell: (/** @type {Token} */ t) => html`<${Expiry} token=${t} />` },
    { title: strings.credentials.state, cell: (/** @type {Token} */ t) => html`<${State} token=${t} all=${all} />` },
    { title: strings.credentials.actions, isActions: true, cell: (/** @type {Token} */ t) => html`<${Actions} token=${t} choose=${choose} />` },
  ];
}

/** @param {{token: Token}} props */
export function Name({ token }) {
  return html`<div class="main-cell"><bdi class="strong">${token.name}</bdi>
    ${token.username ? html`<div class="small mono"><bdi>${token.username}</bdi></div>` : null}
    <div class="small">${strings.credentials.kinds[token.kind]} · ${strings.credentials.createdAt(formatDate(token.createdAt))}</div></div>`;
}

/** @param {{token: Token}} props */
export function Expiry({ token }) {
  return html`<span class="nowrap">${token.expiresAt ? formatDate(token.expiresAt) : strings.credentials.noExpiry}</span>`;
}

/** @param {{scopes: string[]}} props */
export function Scopes({ scopes }) {
  return html`<div>${describeScopes(scopes).map((line) => html`<div><bdi>${line}</bdi></div>`)}</div>`;
}

/** @param {{token: Token, all: Token[]}} props */
export function State({ token, all }) {
  const state = stateOf(token, all);
  return html`<div><${Badge} tone=${state.tone}>${state.text}<//>
    ${token.reason ? html`<div class="small"><bdi>${token.reason}</bdi></div>` : null}</div>`;
}

/** @param {{token: Token, choose: (chosen: Chosen) => void}} props */
function Actions({ token, choose }) {
  if (!isWorking(token)) return null;
  const mayRenew = token.kind === "password" || can("tokens:write");
  return html`<span class="row-actions">
    ${mayRenew ? html`<${Button} kind="quiet" label=${strings.credentials.renewLabel(token.name)}
      onClick=${() => choose({ token, action: "renew" })}>${strings.credentials.renew}<//>` : null}
    <${Button} kind="quiet" label=${strings.credentials.revokeLabel(token.name)} onClick=${() => choose({ token, action: "revoke" })}>${strings.credentials.revoke}<//>
  </span>`;
}
