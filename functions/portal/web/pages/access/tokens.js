// The list of tokens and passwords, with their actions.
import { Button } from "../../components/buttons.js";
import { credentialColumns } from "../../components/credentials.js";
import { Select } from "../../components/fields.js";
import { useMakerNames } from "../../components/makers.js";
import { Empty, Section } from "../../components/page.js";
import { Pager, Table } from "../../components/table.js";
import { isWorking } from "../../core/credentials.js";
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
  const makerName = useMakerNames(all.map((t) => t.makers));
  const showAll = query.get("show") === "all";
  const rows = showAll ? all : all.filter(isWorking);
  const offset = Math.max(0, Math.min(Math.trunc(Number(query.get("offset")) || 0), rows.length - 1));
  const filter = html`<${Select} label=${texts.show} hidesOptional value=${showAll ? "all" : "working"}
    options=${[{ value: "working", label: texts.showWorking }, { value: "all", label: texts.showAll }]}
    onChange=${(/** @type {string} */ value) => setQuery({ show: value === "all" ? "all" : "", offset: "" })} />`;
  return html`<${Section} title=${texts.list} actions=${all.length > 0 ? filter : null}>
    ${rows.length === 0 ? html`<${Empty} title=${all.length > 0 ? texts.noneWorking : texts.none}><p>${texts.noneText}</p><//>` : html`
      <${Table} caption=${texts.list} columns=${columns(all, choose, makerName)} rows=${rows.slice(offset, offset + pageSize)}
        rowKey=${(/** @type {Token} */ t) => t.id} />
      <${Pager} offset=${offset} limit=${pageSize} total=${rows.length}
        onChange=${(/** @type {number} */ n) => setQuery({ offset: n || "" })} />`}
    ${all.length >= listLimit ? html`<p class="hint">${texts.newest}</p>` : null}
  <//>`;
}

/**
 * @param {Token[]} all
 * @param {(chosen: Chosen) => void} choose
 * @param {(id: string) => string} makerName
 */
function columns(all, choose, makerName) {
  const actions = {
    title: strings.credentials.actions, isActions: true, cell: (/** @type {Token} */ t) => html`<${Actions} token=${t} choose=${choose} />`,
  };
  return [...credentialColumns(all, makerName), actions];
}

/** @param {{token: Token, choose: (chosen: Chosen) => void}} props */
function Actions({ token, choose }) {
  if (!isWorking(token)) return null;
  const mayRenew = token.kind === "password" || can("tokens:write");
  return html`<span class="row-actions">
    ${mayRenew ? html`<${Button} kind="quiet" label=${strings.credentials.renewLabel(token.name)}
      onClick=${() => choose({ token, action: "renew" })}>${strings.credentials.renew}<//>` : null}
    <${Button} kind="quiet" label=${strings.credentials.revokeLabel(token.name)}
      onClick=${() => choose({ token, action: "revoke" })}>${strings.credentials.revoke}<//>
  </span>`;
}
