// The dialog that revokes a token or a password.
import { announce } from "../../components/announcer.js";
import { ConfirmDialog } from "../../components/dialog.js";
import { remove } from "../../core/api.js";
import { formatRelative } from "../../core/format.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";

/** @typedef {import("../../core/credentials.js").Token} Token */

const texts = strings.access;

/** @param {{token: Token, onRevoked: () => void, onClose: () => void}} props */
export function RevokeDialog({ token, onRevoked, onClose }) {
  const act = async () => {
    await remove("/api/v1/tokens/{tokenId}", { path: { tokenId: token.id } });
    announce(texts.revoked(token.name));
    onRevoked();
  };
  return html`<${ConfirmDialog} title=${texts.revokeTitle(token.name)} confirm=${texts.revokeConfirm} act=${act} onClose=${onClose}>
    <p>${texts.revokeText} ${token.lastUsedAt ? texts.revokeUsed(formatRelative(token.lastUsedAt)) : texts.revokeUnused}</p>
  <//>`;
}
