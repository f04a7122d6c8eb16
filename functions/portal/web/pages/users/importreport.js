// The preview, the progress and the report of an import.
import { useEffect, useState } from "preact/hooks";
import { announce } from "../../components/announcer.js";
import { Button, ButtonLink } from "../../components/buttons.js";
import { ProblemMessage, Section } from "../../components/page.js";
import { Pager, Table } from "../../components/table.js";
import { Tabs } from "../../components/tabs.js";
import { formatNumber } from "../../core/format.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { downloadFailures } from "./importing.js";

const texts = strings.userImport;
const rowsPerPage = 50;

/** @typedef {import("./importing.js").Row} Row */

/** @param {{name: string, rows: Row[], onStart: () => void, onRestart: () => void}} props */
export function Preview({ name, rows, onStart, onRestart }) {
  const ready = rows.filter((row) => row.status === "ready").length;
  return html`<${Section} title=${texts.previewOf(name)}>
    <${Counts} rows=${rows} names=${["ready", "existing", "failed"]} />
    ${ready === 0 ? html`<p>${texts.nothing}</p>` : null}
    <div class="form-actions">
      ${ready > 0 ? html`<${Button} kind="primary" onClick=${onStart}>${ready === 1 ? texts.startOne : texts.start(formatNumber(ready))}<//>` : null}
      <${Button} onClick=${onRestart}>${texts.other}<//>
    </div>
  <//>
  <${Rows} rows=${rows} names=${["failed", "existing", "ready"]} />`;
}

/** @param {{done: number, total: number, waiting: number, onCancel: () => void}} props */
export function Progress({ done, total, waiting, onCancel }) {
  const text = texts.progress(formatNumber(done), formatNumber(total));
  return html`<${Section} title=${texts.running}>
    <progress class="wide" value=${done} max=${total} aria-label=${texts.running}></progress>
    <p role="status">${waiting > 0 ? texts.waiting(waiting) : text}</p>
    <${Button} onClick=${onCancel}>${strings.common.cancel}<//>
  <//>`;
}

/**
 * @param {{rows: Row[], remaining: number, problem?: import("../../core/api.js").Problem, onResume: () => void, onRestart: () => void}} props
 *   remaining: lines that were not sent
 */
export function Done({ rows, remaining, problem, onResume, onRestart }) {
  const failed = rows.filter((row) => row.status === "failed").sort((a, b) => a.line - b.line);
  const title = remaining > 0 ? texts.stoppedTitle : texts.doneTitle;
  useEffect(() => announce(title), [title]);
  return html`<${Section} title=${title}>
    <${ProblemMessage} problem=${problem} />
    <${Counts} rows=${rows} names=${["created", "existing", "failed"]} />
    ${remaining > 0 ? html`<p>${texts.remaining(formatNumber(remaining))}</p>` : null}
    <div class="form-actions">
      ${remaining > 0 ? html`<${Button} kind="primary" onClick=${onResume}>${texts.resume}<//>` : null}
      <${ButtonLink} href="/portal/users">${texts.toUsers}<//>
      ${failed.length > 0 ? html`<${Button} onClick=${() => downloadFailures(failed)}>${texts.download}<//>` : null}
      <${Button} onClick=${onRestart}>${texts.other}<//>
    </div>
  <//>
  <${Rows} rows=${rows} names=${["failed", "existing", "created"]} />`;
}

/** @param {{rows: Row[], names: string[]}} props */
function Counts({ rows, names }) {
  return html`<ul class="counts">${names.map((name) => html`<li key=${name} class=${name}>
    <strong>${formatNumber(rows.filter((row) => row.status === name).length)}</strong> ${texts.counts[name]}</li>`)}</ul>`;
}

/** @param {{rows: Row[], names: string[]}} props names: the statuses to show, each in a tab unless it is empty */
function Rows({ rows, names }) {
  const tabs = names.map((name) => ({ name, rows: rows.filter((row) => row.status === name) })).filter((tab) => tab.rows.length > 0);
  if (tabs.length === 0) return null;
  return html`<${Section} title=${texts.preview}>
    <${Tabs} label=${texts.preview} tabs=${tabs.map((tab) => ({
      name: tab.name, title: `${texts.tabs[tab.name]} (${formatNumber(tab.rows.length)})`,
      content: () => html`<${RowTable} key=${tab.name} name=${tab.name} rows=${tab.rows} />`,
    }))} />
  <//>`;
}

/** @param {{name: string, rows: Row[]}} props */
function RowTable({ name, rows }) {
  const [offset, setOffset] = useState(0);
  const columns = [
    { title: texts.line, isNumber: true, cell: (/** @type {Row} */ row) => formatNumber(row.line) },
    { title: strings.users.email, cell: (/** @type {Row} */ row) => html`<div class="main-cell">${row.email || "–"}</div>` },
    { title: strings.users.name, cell: (/** @type {Row} */ row) => html`<bdi>${row.name || "–"}</bdi>` },
    { title: strings.users.role, cell: (/** @type {Row} */ row) =>
      html`<span class=${row.role.length < 20 ? "nowrap" : ""}>${strings.users.roles[row.role] ?? (row.role || "–")}</span>` },
  ];
  const reasons = { title: texts.reason, cell: (/** @type {Row} */ row) => html`
    <ul class="plain">${row.reasons.map((r) => html`<li>${r}</li>`)}</ul>` };
  return html`
    ${name === "existing" ? html`<p>${texts.existingText}</p>` : null}
    <${Table} caption=${texts.tabs[name]} columns=${name === "failed" ? [...columns, reasons] : columns}
      rows=${rows.slice(offset, offset + rowsPerPage)} rowKey=${(/** @type {Row} */ row) => String(row.line)} />
    <${Pager} offset=${offset} limit=${rowsPerPage} total=${rows.length} onChange=${setOffset} />`;
}
