// Bars of named numbers: which artifacts were pulled most, who pulled most, users by role, and projects by status.
import { BarList } from "../../components/chart.js";
import { Empty, ProblemMessage } from "../../components/page.js";
import { get } from "../../core/api.js";
import { formatNumber } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { changeText } from "./figures.js";
import { DataTable } from "./series.js";
import { apiQuery } from "./view.js";

/** @typedef {import("../../core/types").Schema<"RankingEntry">} Entry */
/** @typedef {{key: string, name: string, value?: number, before?: number, href?: string}} Named value: undefined until it is loaded */

const texts = strings.dashboard.rankings;

/**
 * The artifacts or users with the most pulls.
 * @param {{by: "artifact" | "person", view: import("./view.js").View, round: number, otherName: string}} props round: a new one loads again
 */
export function Ranking({ by, view, round, otherName }) {
  const load = useLoad((signal) => loadRanking(by, view, signal), [by, ...Object.values(apiQuery(view)), round]);
  const { data, problem } = load;
  return html`<figure class="series ranking" data-ranking=${by}><figcaption><h3>${texts[by]}</h3></figcaption>
    ${problem ? html`<${ProblemMessage} problem=${problem} onRetry=${load.reload} />` : null}
    ${data && !problem ? html`<div aria-busy=${load.isLoading ? "true" : undefined}>
      ${data.rows.length === 0 ? html`<${Empty} title=${texts.empty} />` : html`<${NamedBars} title=${texts[by]} name=${`pulls-by-${by}`}
        nameTitle=${by === "artifact" ? texts.artifactName : texts.personName} countTitle=${texts.pulls} rows=${data.rows}
        otherName=${otherName} />`}
      ${data.hasHidden ? html`<p class="small">${texts.hasHidden}</p>` : null}
      ${data.isComplete ? null : html`<p class="small">${texts.incomplete}</p>`}
    </div>` : null}
    ${data || problem ? null : html`<div class="ranking-placeholder"></div>`}
  </figure>`;
}

/**
 * @param {"artifact" | "person"} by
 * @param {import("./view.js").View} view
 * @param {AbortSignal} signal
 * @returns {Promise<{rows: Named[], isComplete: boolean, hasHidden: boolean}>}
 */
async function loadRanking(by, view, signal) {
  const { data } = await get("/v1/analytics/pulls", { query: { by, ...apiQuery(view) }, signal });
  const rows = data.entries.map((e, i) => ({
    ...(by === "person" ? person(e) : artifact(e, i)), value: e.pulls, before: e.previous,
  }));
  const hasHidden = by === "artifact" && data.entries.some((e) => !e.repository);
  return { rows, isComplete: data.complete, hasHidden };
}

/**
 * @param {Entry} entry without repository if the user may not see its name
 * @param {number} i
 */
function artifact({ kind = "image", repository }, i) {
  return repository ? { key: `${kind} ${repository}`, name: `${repository} (${texts.kinds[kind]})` } : { key: String(i), name: texts.hidden[kind] };
}

/** @param {Entry} entry without name if the user is deleted */
function person({ userId = "", name }) {
  return name ? { key: userId, name, href: `/portal/users/${userId}` } : { key: userId, name: `${texts.deleted} ${userId.slice(0, 8)}` };
}

/**
 * Named numbers as bars, as a table, and as a file.
 * @param {{title: string, name: string, nameTitle: string, countTitle: string, rows: Named[], otherName: string}} props
 */
export function NamedBars({ title, name, nameTitle, countTitle, rows, otherName }) {
  const hasOther = rows.some((r) => r.before !== undefined);
  const head = hasOther ? [nameTitle, countTitle, otherName] : [nameTitle, countTitle];
  const cells = rows.map((r) => (hasOther ? [r.name, r.value ?? null, r.before ?? null] : [r.name, r.value ?? null]));
  return html`
    <${BarList} rows=${rows.map((r) => ({
      key: r.key, label: r.href ? html`<a href=${r.href}>${r.name}</a>` : r.name,
      value: r.value ?? 0, text: r.value === undefined ? "–" : formatNumber(r.value),
      note: r.value === undefined || r.before === undefined ? undefined : changeText(r.value, r.before, { format: formatNumber }),
    }))} />
    <${DataTable} title=${title} name=${name} head=${head} rows=${cells} format=${formatNumber} />`;
}
