// Access Management: the tokens and passwords of the user, and the requests for them.
import { Button } from "../../components/buttons.js";
import { Loaded, Page } from "../../components/page.js";
import { get } from "../../core/api.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { setQuery, useAddress } from "../../core/router.js";
import { can, currentUser } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { CreateDialog } from "./create.js";
import { RequestDialog, Requests } from "./requests.js";
import { Tokens } from "./tokens.js";

const text = strings.access;

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
  const dialog = query.get("new");
  const close = () => setQuery({ new: "", level: "" }, { replace: true });
  const mayCreate = can("tokens:write");
  const actions = html`
    ${mayCreate ? html`<${Button} onClick=${() => setQuery({ new: "token" })}>${text.newToken}<//>` : null}
    <${Button} kind="primary" onClick=${() => setQuery({ new: "request" })}>${text.newRequest}<//>`;
  return html`<${Page} title=${text.title} intro=${text.intro} actions=${actions}>
    <${Loaded} of=${tokens}>${(/** @type {any} */ list) => html`<${Tokens} all=${list.data} reload=${tokens.reload} />`}<//>
    <${Loaded} of=${requests}>${(/** @type {any} */ list) => html`<${Requests} page=${list} before=${before} />`}<//>
    ${dialog === "token" && mayCreate ? html`<${CreateDialog} onCreated=${tokens.reload} onClose=${close} />` : null}
    ${dialog === "request" ? html`<${RequestDialog} level=${asLevel(query.get("level"))} onSent=${requests.reload} onClose=${close} />` : null}
  <//>`;
}
