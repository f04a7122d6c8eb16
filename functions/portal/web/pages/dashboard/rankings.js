// Bars of named numbers: which artifacts were pulled most, who pulled most, users by role, and projects by status.
import { BarList } from "../../components/chart.js";
import { Empty, ProblemMessage } from "../../components/page.js";
import { get } from "../../core/api.js";
import { formatNumber } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { changeText } from "./figures.js";
import { Data } from "./series.js";
import { apiQuery } from "./view.js";

/** @typedef {import("../../core/types").Schema<"RankingEntry">} Entry */
/** @typedef {{key: string, name: string, value?: number, before?: number}} Named value: undefined until it is loaded */

const texts = strings.dashboard.rankings;

/**
 * Those with the most pulls.
 * @param {{by: "artifact" | "person", view: import("./view.js").View, round: number, otherName: string}} props round: a new one loads again
 */
export function Ranking({ by, view, round, otherName }) {
  const load = useLoad((signal) => loadRanking(by, view, signal), [by, ...Object.values(apiQuery(view)), round]);
  const { data, problem } = load;
  return html`<figure class="series ranking" data-ranking=${by}><figcaption><h3>${texts[by]}</h3></figcaption>
    ${problem ? html`<${ProblemMessage} problem=${problem} onRetry=${load.reload} />` : null}
    ${data && !problem ? html`<div aria-busy=${load.isLoading ? "true" : undefined}>
      ${data.rows.length === 0 ? html`<${Empty} title=${texts.empty} />` : html`<${NamedBars} title=${texts[by]} name=${`pulls-by-${by}`}
        nameTitle=${by === "artifact" ? texts.artifactName : texts.personName} countTitle=${texts.pulls} rows=${data.rows} otherName=${otherName} />`}
      ${data.isComplete ? null : html`<p class="small">${texts.incomplete}</p>`}
    </div>` : null}
    ${data || problem ? null : html`<div class="ranking-placeholder"></div>`}
  </figure>`;
}

/**
 * @param {"artifact" | "person"} by
 * @param {import("./view.js").View} view
 * @param {AbortSignal} signal
 * @returns {Promise<{rows: Named[], isComplete: boolean}>}
 */
async function loadRanking(by, view, signal) {
  const { data } = await get("/v1/analytics/pulls", { query: { by, ...apiQuery(view) }, signal });
  const names = by === "person" ? await loadNames(data.entries, signal) : [];
  const rows = data.entries.map((e, i) => ({
    key: e.userId ?? `${e.kind} ${e.repository}`, value: e.pulls, before: e.previous,
    name: by === "person" ? names[i] : `${e.repository} (${texts.kinds[e.kind ?? "image"]})`,
  }));
  return { rows, isComplete: data.complete };
}

/** @type {Map<string, string>} */
const knownNames = new Map();

const maxRequests = 4;

/**
 * The names of users, a few requests at a time. Names that are known are not asked for again.
 * @param {Entry[]} entries
 * @param {AbortSignal} signal
 */
async function loadNames(entries, signal) {
  const ids = entries.map((e) => e.userId ?? "");
  const missing = ids.filter((id) => !knownNames.has(id));
  const work = async () => {
    for (let id = missing.shift(); id !== undefined; id = missing.shift()) knownNames.set(id, await loadName(id, signal));
  };
  await Promise.all(Array.from({ length: maxRequests }, work));
  return ids.map((id) => knownNames.get(id) ?? id);
}

/**
 * @param {string} userId
 * @param {AbortSignal} signal
 */
async function loadName(userId, signal) {
  try {
    return (await get("/v1/users/{userId}", { path: { userId }, signal })).data.name;
  } catch (error) {
    const { status } = /** @type {import("../../core/api.js").Problem} */ (error);
    if (status === 404 || status === 400) return `${texts.deleted} ${userId.slice(0, 8)}`;
    throw error;
  }
}

/**
 * Named numbers as bars, with the table behind them and its file.
 * @param {{title: string, name: string, nameTitle: string, countTitle: string, rows: Named[], otherName: string}} props
 */
export function NamedBars({ title, name, nameTitle, countTitle, rows, otherName }) {
  const hasOther = rows.some((r) => r.before !== undefined);
  const head = hasOther ? [nameTitle, countTitle, otherName] : [nameTitle, countTitle];
  const cells = rows.map((r) => (hasOther ? [r.name, r.value ?? null, r.before ?? null] : [r.name, r.value ?? null]));
  return html`
    <${BarList} rows=${rows.map((r) => ({
      key: r.key, label: r.name, value: r.value ?? 0, text: r.value === undefined ? "–" : formatNumber(r.value),
      note: r.value === undefined || r.before === undefined ? undefined : changeText(r.value, r.before, { format: formatNumber }),
    }))} />
    <${Data} title=${title} name=${name} head=${head} rows=${cells} format=${formatNumber} />`;
}
