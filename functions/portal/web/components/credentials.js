// The cells of tables of tokens and passwords, and the dialog that revokes one.
import { useState } from "preact/hooks";
import { remove } from "../core/api.js";
import { describeScopes, stateOf } from "../core/credentials.js";
import { formatDate, formatRelative } from "../core/format.js";
import { html } from "../core/html.js";
import { strings } from "../core/strings.js";
import { announce } from "./announcer.js";
import { ConfirmDialog } from "./dialog.js";
import { Checkbox } from "./fields.js";
import { Makers } from "./makers.js";
import { Badge } from "./table.js";

/** @typedef {import("../core/credentials.js").Token} Token */

const texts = strings.credentials;

/**
 * The columns that describe tokens and passwords.
 * @param {Token[]} all the tokens and passwords of the user, of which the table may show a part
 * @param {(id: string) => string} [makerName] see useMakerNames; without it, the table does not show who created them
 */
export function credentialColumns(all, makerName) {
  const makers = { title: strings.makers.title, cell: (/** @type {Token} */ t) => html`<${Makers} makers=${t.makers} name=${makerName} />` };
  return [
    { title: texts.name, cell: (/** @type {Token} */ t) => html`<${Name} token=${t} />` },
    { title: texts.scopes, cell: (/** @type {Token} */ t) => html`<${Scopes} scopes=${t.scopes} />` },
    { title: texts.lastUsed, cell: (/** @type {Token} */ t) => (t.lastUsedAt ? formatRelative(t.lastUsedAt) : texts.never) },
    { title: texts.expires, cell: (/** @type {Token} */ t) => html`<${Expiry} token=${t} />` },
    ...(makerName ? [makers] : []),
    { title: texts.state, cell: (/** @type {Token} */ t) => html`<${State} token=${t} all=${all} />` },
  ];
}

/** @param {{token: Token}} props */
function Name({ token }) {
  return html`<div class="main-cell"><bdi class="strong">${token.name}</bdi>
    ${token.username ? html`<div class="small mono"><bdi>${token.username}</bdi></div>` : null}
    <div class="small">${texts.kinds[token.kind]} · ${texts.createdAt(formatDate(token.createdAt))}</div></div>`;
}

/** @param {{token: Token}} props */
function Expiry({ token }) {
  return html`<span class="nowrap">${token.expiresAt ? formatDate(token.expiresAt) : texts.noExpiry}</span>`;
}

/** @param {{scopes: string[]}} props */
export function Scopes({ scopes }) {
  return html`<div>${describeScopes(scopes).map((line) => html`<div><bdi>${line}</bdi></div>`)}</div>`;
}

/** @param {{token: Token, all: Token[]}} props */
function State({ token, all }) {
  const state = stateOf(token, all);
  return html`<div><${Badge} tone=${state.tone}>${state.text}<//>
    ${token.reason ? html`<div class="small"><bdi>${token.reason}</bdi></div>` : null}</div>`;
}

/** @param {{token: Token, onRevoked: () => void, onClose: () => void}} props */
export function RevokeDialog({ token, onRevoked, onClose }) {
  const [line, setLine] = useState(false);
  const act = async () => {
    await remove("/api/v1/tokens/{tokenId}", { path: { tokenId: token.id }, query: { line: line ? "true" : "" } });
    announce(texts.wasRevoked(token.name));
    onRevoked();
  };
  return html`<${ConfirmDialog} title=${texts.revokeTitle(token.name)} confirm=${texts.revoke} act=${act} onClose=${onClose}>
    <p>${texts.revokeText} ${token.lastUsedAt ? texts.revokeUsed(formatRelative(token.lastUsedAt)) : texts.revokeUnused}</p>
    ${token.kind === "token"
      ? html`<${Checkbox} label=${texts.revokeLine} hint=${texts.revokeLineHint} value=${line} onChange=${setLine} />` : null}
  <//>`;
}
