// The table of pulls, and the newest pulls of an artifact as a part of its page.
import { get } from "../core/api.js";
import { formatDateTime, formatNumber } from "../core/format.js";
import { useLoad } from "../core/hooks.js";
import { html } from "../core/html.js";
import { can, canForAll } from "../core/session.js";
import { strings } from "../core/strings.js";
import { Loaded, Section } from "./page.js";
import { Table } from "./table.js";
import { Digest, UntrustedText } from "./untrusted.js";

const texts = strings.pulls;

/** How many pulls the page of an artifact shows. */
const limit = 5;

/** @typedef {import("../core/types").Schema<"Pull">} Pull */

/** @param {{pulls: Pull[], areChecks?: boolean}} props */
export function PullTable({ pulls, areChecks }) {
  const checks = { title: texts.checks, isNumber: true, cell: (/** @type {Pull} */ p) => formatNumber(p.checks ?? 0) };
  const columns = [
    { title: areChecks ? texts.hour : texts.when, cell: (/** @type {Pull} */ p) => formatDateTime(p.at) },
    { title: texts.what, cell: (/** @type {Pull} */ p) => html`<${What} pull=${p} />` },
    ...(areChecks ? [checks] : []),
    { title: texts.digest, cell: (/** @type {Pull} */ p) => html`<${Digest} digest=${p.digest} />` },
    { title: texts.who, cell: (/** @type {Pull} */ p) => html`<${Who} pull=${p} />` },
    { title: texts.credential, cell: (/** @type {Pull} */ p) => html`<${UntrustedText} text=${p.tokenName ?? p.tokenId} most=${100} />` },
    { title: texts.from, cell: (/** @type {Pull} */ p) => html`<${UntrustedText} text=${p.address} most=${64} />` },
    { title: texts.client, cell: (/** @type {Pull} */ p) => html`<${UntrustedText} text=${p.client} most=${60} />` },
  ];
  const caption = areChecks ? texts.types.check : texts.caption;
  return html`<${Table} caption=${caption} columns=${columns} rows=${pulls} rowKey=${(/** @type {Pull} */ p) => p.id} />`;
}

/** @param {{pull: Pull}} props */
function What({ pull }) {
  const isDigest = pull.reference.includes(":");
  if (isDigest) return html`${pull.repository} <span class="muted">${texts.byDigest}</span>`;
  return `${pull.repository}${pull.kind === "chart" && !pull.repository.includes("/") ? " " : ":"}${pull.reference}`;
}

/** @param {{pull: Pull}} props */
function Who({ pull }) {
  const name = html`<${UntrustedText} text=${pull.ownerName ?? pull.ownerEmail ?? texts.deleted} most=${100} />`;
  return pull.ownerName && can("users:read") ? html`<a href=${`/portal/users/${encodeURIComponent(pull.ownerId)}`}>${name}</a>` : name;
}

/** @param {{kind?: "chart" | "image", repository: string}} props kind: only charts, or only images */
export function RecentPulls({ kind, repository }) {
  const load = useLoad((signal) => get("/api/v1/pulls", { query: { kind, repository, limit }, signal }), [kind, repository]);
  const all = html`<a href=${`/portal/pulls?repository=${encodeURIComponent(repository)}`}>${texts.all}</a>`;
  return html`<${Section} title=${canForAll("tokens:read") ? texts.recent : texts.recentOwn} actions=${all}>
    <${Loaded} load=${load}>${(/** @type {{data: Pull[]}} */ { data }) => (data.length > 0 ? html`<${PullTable} pulls=${data} />`
      : html`<p class="muted">${texts.noneRecent}</p>`)}<//>
  <//>`;
}
