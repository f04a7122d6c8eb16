// Access Management: the tokens and passwords of the user, and the requests for them.
import { useState } from "preact/hooks";
import { Button } from "../../components/buttons.js";
import { RevokeDialog } from "../../components/credentials.js";
import { Loaded, Page } from "../../components/page.js";
import { get } from "../../core/api.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { setQuery, useAddress } from "../../core/router.js";
import { can, currentUser } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { CreateDialog } from "./create.js";
import { RenewDialog, RenewPasswordDialog } from "./renew.js";
import { RequestDialog, Requests } from "./requests.js";
import { Tokens } from "./tokens.js";

/** @typedef {import("./tokens.js").Chosen} Chosen */

const texts = strings.access;

/** @param {string | null} level */
function asLevel(level) {
  return level === "charts" || level === "images" ? level : "full";
}

export default function Access() {
  const { query } = useAddress();
  const tokens = useLoad((signal) => get("/api/v1/tokens", { signal }), []);
  const before = query.get("before") ?? "";
  const requests = useLoad(
    (signal) => get("/api/v1/credential-requests", { query: { userId: currentUser().id, limit: 10, before }, signal }), [before]);
  const [chosen, choose] = useState(/** @type {Chosen | null} */ (null));
  const dialog = query.get("new");
  const close = () => setQuery({ new: "", level: "" }, { replace: true });
  const mayCreate = can("tokens:write");
  const actions = html`
    ${mayCreate ? html`<${Button} onClick=${() => setQuery({ new: "token" })}>${texts.newToken}<//>` : null}
    <${Button} kind="primary" onClick=${() => setQuery({ new: "request" })}>${texts.newRequest}<//>`;
  const level = asLevel(query.get("level"));
  return html`<${Page} title=${texts.title} intro=${texts.intro} actions=${actions}>
    <${Loaded} load=${tokens}>${(/** @type {any} */ list) => html`<${Tokens} all=${list.data} choose=${choose} />`}<//>
    <${Loaded} load=${requests}>${(/** @type {any} */ list) => html`<${Requests} page=${list} before=${before} />`}<//>
    ${chosen ? html`<${TokenDialog} ...${chosen} reload=${tokens.reload} onClose=${() => choose(null)} />` : null}
    ${dialog === "token" && mayCreate ? html`<${CreateDialog} onCreated=${tokens.reload} onClose=${close} />` : null}
    ${dialog === "request" ? html`<${RequestDialog} level=${level} onSent=${requests.reload} onClose=${close} />` : null}
  <//>`;
}

/**
 * The dialog of an action. It is no part of the list, so that it stays if the list cannot be loaded again.
 * @param {Chosen & {reload: () => void, onClose: () => void}} props
 */
function TokenDialog({ token, action, reload, onClose }) {
  if (action === "revoke") return html`<${RevokeDialog} token=${token} onRevoked=${reload} onClose=${onClose} />`;
  if (token.kind === "password") return html`<${RenewPasswordDialog} token=${token} onClose=${onClose} />`;
  return html`<${RenewDialog} token=${token} onCreated=${reload} onClose=${onClose} />`;
}
