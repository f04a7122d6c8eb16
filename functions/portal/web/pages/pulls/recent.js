// The newest pulls of one artifact, as a part of its page.
import { Loaded, Section } from "../../components/page.js";
import { get } from "../../core/api.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { can } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { PullTable } from "./table.js";

const texts = strings.pulls;
const limit = 5;

/** @param {{kind?: "chart" | "image", repository: string}} props kind: only charts, or only images */
export function RecentPulls({ kind, repository }) {
  const load = useLoad((signal) => get("/api/v1/pulls", { query: { kind, repository, limit }, signal }), [kind, repository]);
  const all = html`<a href=${`/portal/pulls?repository=${encodeURIComponent(repository)}`}>${texts.all}</a>`;
  return html`<${Section} title=${can("tokens:read") ? texts.recent : texts.recentOwn} actions=${all}>
    <${Loaded} load=${load}>${(/** @type {any} */ { data }) => (data.length > 0 ? html`<${PullTable} pulls=${data} />` : html`<p class="muted">${texts.noneRecent}</p>`)}<//>
  <//>`;
}
