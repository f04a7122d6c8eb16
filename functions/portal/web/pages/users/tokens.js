// The tokens and passwords of a user.
import { useState } from "preact/hooks";
import { announce } from "../../components/announcer.js";
import { Button } from "../../components/buttons.js";
import { ConfirmDialog } from "../../components/dialog.js";
import { Empty, Loaded, Section } from "../../components/page.js";
import { Badge, Table } from "../../components/table.js";
import { get, remove } from "../../core/api.js";
import { formatDate, formatRelative } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { can, currentUser } from "../../core/session.js";
import { strings } from "../../core/strings.js";

const texts = strings.userTokens;

/** @typedef {import("../../core/types").Schema<"Token">} Token */

/** @param {{user: import("./roles.js").User}} props */
export function UserTokens({ user }) {
  const load = useLoad((signal) => get("/api/v1/tokens", { query: { userId: user.id }, signal }), [user.id]);
  const [revoked, setRevoked] = useState(/** @type {Token | null} */ (null));
  const mayRevoke = can("tokens:write") || user.id === currentUser().id;
  const close = () => {
    setRevoked(null);
    load.reload();
  };
  return html`<${Section} title=${texts.title}>
    <${Loaded} load=${load}>${(/** @type {{data: Token[]}} */ { data }) => (data.length > 0
      ? html`<${TokenTable} tokens=${data} onRevoke=${mayRevoke ? setRevoked : null} />`
      : html`<${Empty} title=${texts.none}><p>${texts.intro}</p><//>`)}
    <//>
    ${revoked ? html`<${RevokeDialog} token=${revoked} onClose=${close} />` : null}
  <//>`;
}

/** @param {{tokens: Token[], onRevoke: ((token: Token) => void) | null}} props */
function TokenTable({ tokens, onRevoke }) {
  const columns = [
    { title: strings.users.name, cell: (/** @type {Token} */ t) => html`<bdi>${t.name}</bdi> <span class="muted mono small">${t.username || t.id}</span>` },
    { title: texts.kind, cell: (/** @type {Token} */ t) => texts.kinds[t.kind] },
    { title: texts.scopes, cell: (/** @type {Token} */ t) => html`<span class="mono small">${t.scopes.join(", ")}</span>` },
    { title: strings.users.status, cell: (/** @type {Token} */ t) =>
      html`<${Badge} tone=${t.status === "active" ? "good" : "neutral"}>${texts.statuses[t.status]}<//>` },
    { title: strings.userKeys.lastUsed, cell: (/** @type {Token} */ t) => (t.lastUsedAt ? formatRelative(t.lastUsedAt) : strings.userKeys.never) },
    { title: strings.userKeys.expires, cell: (/** @type {Token} */ t) => (t.expiresAt ? formatDate(t.expiresAt) : strings.userKeys.never) },
  ];
  const actions = { title: texts.revoke, isActions: true, cell: (/** @type {Token} */ t) => (t.status === "revoked" || t.status === "expired" ? null
    : html`<${Button} label=${texts.revokeLabel(t.name)} onClick=${() => onRevoke?.(t)}>${texts.revoke}<//>`) };
  return html`<${Table} caption=${texts.caption} columns=${onRevoke ? [...columns, actions] : columns} rows=${tokens}
    rowKey=${(/** @type {Token} */ t) => t.id} />`;
}

/** @param {{token: Token, onClose: () => void}} props */
function RevokeDialog({ token, onClose }) {
  const act = async () => {
    await remove("/api/v1/tokens/{tokenId}", { path: { tokenId: token.id } });
    announce(texts.wasRevoked(token.name));
  };
  return html`<${ConfirmDialog} title=${texts.revokeTitle(token.name)} confirm=${texts.revoke} act=${act} onClose=${onClose}>
    <p>${texts.revokeText}</p>
  <//>`;
}
