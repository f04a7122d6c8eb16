// The table of pulls.
import { Digest, UntrustedText } from "../../components/untrusted.js";
import { Table } from "../../components/table.js";
import { formatDateTime } from "../../core/format.js";
import { html } from "../../core/html.js";
import { can } from "../../core/session.js";
import { strings } from "../../core/strings.js";

const texts = strings.pulls;

/** @typedef {import("../../core/types").Schema<"Pull">} Pull */

/** @param {{pulls: Pull[]}} props */
export function PullTable({ pulls }) {
  const columns = [
    { title: texts.when, cell: (/** @type {Pull} */ p) => formatDateTime(p.at) },
    { title: texts.what, cell: (/** @type {Pull} */ p) => html`<${What} pull=${p} />` },
    { title: texts.digest, cell: (/** @type {Pull} */ p) => html`<${Digest} digest=${p.digest} />` },
    { title: texts.who, cell: (/** @type {Pull} */ p) => html`<${Who} pull=${p} />` },
    { title: texts.credential, cell: (/** @type {Pull} */ p) => html`<${UntrustedText} text=${p.tokenName ?? p.tokenId} most=${100} />` },
    { title: texts.from, cell: (/** @type {Pull} */ p) => html`<${UntrustedText} text=${p.address} most=${64} />` },
    { title: texts.client, cell: (/** @type {Pull} */ p) => html`<${UntrustedText} text=${p.client} most=${60} />` },
  ];
  return html`<${Table} caption=${texts.caption} columns=${columns} rows=${pulls} rowKey=${(/** @type {Pull} */ p) => p.id} />`;
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
