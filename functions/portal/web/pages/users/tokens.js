// The tokens and passwords of a user.
import { useState } from "preact/hooks";
import { Button } from "../../components/buttons.js";
import { credentialColumns, RevokeDialog } from "../../components/credentials.js";
import { useMakerNames } from "../../components/makers.js";
import { Empty, Loaded, Section } from "../../components/page.js";
import { Pager, Table } from "../../components/table.js";
import { get } from "../../core/api.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { can, currentUser } from "../../core/session.js";
import { strings } from "../../core/strings.js";

const texts = strings.userTokens;
const rowsPerPage = 10;

/** @typedef {import("../../core/credentials.js").Token} Token */

/** @param {{user: import("./roles.js").User}} props */
export function UserTokens({ user }) {
  const load = useLoad((signal) => get("/api/v1/tokens", { query: { userId: user.id }, signal }), [user.id]);
  const [revoked, setRevoked] = useState(/** @type {Token | null} */ (null));
  const mayRevoke = can("tokens:write") || user.id === currentUser().id;
  return html`<${Section} title=${texts.title}>
    <${Loaded} load=${load}>${(/** @type {{data: Token[]}} */ { data }) => (data.length > 0
      ? html`<${TokenTable} tokens=${data} onRevoke=${mayRevoke ? setRevoked : null} />`
      : html`<${Empty} title=${texts.none}><p>${texts.intro}</p><//>`)}
    <//>
    ${revoked ? html`<${RevokeDialog} token=${revoked} onRevoked=${load.reload} onClose=${() => setRevoked(null)} />` : null}
  <//>`;
}

/** @param {{tokens: Token[], onRevoke: ((token: Token) => void) | null}} props */
function TokenTable({ tokens, onRevoke }) {
  const [chosen, setOffset] = useState(0);
  const offset = chosen < tokens.length ? chosen : 0;
  const actions = { title: strings.credentials.actions, isActions: true, cell: (/** @type {Token} */ t) => (isFinal(t) ? null
    : html`<${Button} label=${strings.credentials.revokeLabel(t.name)} onClick=${() => onRevoke?.(t)}>${strings.credentials.revoke}<//>`) };
  const columns = credentialColumns(tokens, useMakerNames(tokens.map((t) => t.makers)));
  return html`
    <${Table} caption=${texts.title} columns=${onRevoke ? [...columns, actions] : columns}
      rows=${tokens.slice(offset, offset + rowsPerPage)} rowKey=${(/** @type {Token} */ t) => t.id} />
    <${Pager} offset=${offset} limit=${rowsPerPage} total=${tokens.length} onChange=${setOffset} />`;
}

/**
 * Whether the token cannot work again. The token of a user who is not active can.
 * @param {Token} token
 */
function isFinal({ status }) {
  return status === "revoked" || status === "expired";
}
