// The dashboard: figures of a period, compared with another, as tiles, charts, tables and files.
import { useState } from "preact/hooks";
import { Button } from "../../components/buttons.js";
import { Page, ProblemMessage, Section } from "../../components/page.js";
import { get } from "../../core/api.js";
import { formatDay, locale } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { useAddress } from "../../core/router.js";
import { can } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { figures } from "./figures.js";
import { Filters } from "./filters.js";
import { NamedBars, Ranking } from "./rankings.js";
import { SeriesChart } from "./series.js";
import { Tiles } from "./tiles.js";
import { apiQuery, isComplete, readView } from "./view.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {import("../../core/types").Schema<"DashboardData">} Data */

const texts = strings.dashboard;

/**
 * Numbers that belong together, each with a label.
 * @typedef {{name: string, title: string, labels: Record<string, string>, read: (metrics: Data["metrics"]) => Record<string, number>}} Group
 */

/** The parts of the page: their tiles, charts and groups. */
const sections = [
  {
    title: texts.sections.users,
    tiles: ["users.total", "users.active", "users.growth", "projects.total", "projects.created", "projects.archived"],
    charts: [{ path: "users.total", kind: "line" }, { path: "projects.total", kind: "line" }],
    groups: /** @type {Group[]} */ ([
      { name: "users-by-role", title: texts.byRole, labels: texts.roles, read: (metrics) => metrics.users.byRole },
      { name: "projects-by-status", title: texts.byStatus, labels: texts.statuses, read: (metrics) => metrics.projects.byStatus },
    ]),
  },
  {
    title: texts.sections.requests,
    tiles: ["usage.api.calls", "performance.errors", "performance.uptime"],
    charts: [{ path: "usage.api.calls" }, { path: "performance.errors" }, { path: "performance.uptime", kind: "line", fromZero: false }],
  },
  {
    title: texts.sections.latency,
    tiles: ["performance.responseTime.avg", "performance.responseTime.p95", "performance.responseTime.p99"],
    charts: ["avg", "p95", "p99"].map((name) => ({ path: `performance.responseTime.${name}`, kind: "line" })),
  },
  {
    title: texts.sections.distribution,
    tiles: ["usage.storage.used", "usage.storage.total", "usage.pulls.charts", "usage.pulls.images", "usage.pulls.checks"],
    charts: [
      { path: "usage.storage.used", kind: "line" },
      { path: "usage.pulls.charts" }, { path: "usage.pulls.images" }, { path: "usage.pulls.checks" },
    ],
  },
  {
    title: texts.sections.media,
    tiles: ["usage.media.calls", "usage.media.modelCalls", "usage.media.inputTokens", "usage.media.outputTokens", "usage.media.cost"],
    charts: [{ path: "usage.media.calls" }, { path: "usage.media.cost" }],
    groups: /** @type {Group[]} */ ([
      { name: "media-by-task", title: texts.byTask, labels: texts.tasks, read: (metrics) => ({ ...metrics.usage.media.byTask }) },
    ]),
  },
];

const metrics = sections.flatMap((s) => s.charts.map((c) => c.path)).join(",");

export default function Dashboard() {
  const { query } = useAddress();
  const view = readView(query);
  const [round, setRound] = useState(0);
  const dependencies = [...Object.values(apiQuery(view)), round];
  const dashboard = useLoad((signal) => loadDashboard(view, signal), dependencies);
  const daily = useLoad((signal) => loadDaily(view, signal), dependencies);
  const isShown = isComplete(view) && !dashboard.problem;
  const refresh = html`<${Button} onClick=${() => setRound(round + 1)}>${texts.refresh}<//>`;
  return html`<${Page} title=${texts.title} intro=${texts.intro} actions=${refresh}>
    <${Filters} view=${view} shown=${dashboard.data?.period} problem=${dashboard.problem} />
    <div class="dashboard" aria-busy=${dashboard.isLoading || daily.isLoading ? "true" : undefined}>
      ${dashboard.problem ? html`<${ProblemMessage} problem=${dashboard.problem} onRetry=${dashboard.reload} />` : null}
      ${isShown ? html`<${Content} view=${view} data=${dashboard.data} daily=${daily} round=${round} />` : null}
    </div>
  <//>`;
}

/**
 * @param {View} view
 * @param {AbortSignal} signal
 */
async function loadDashboard(view, signal) {
  if (!isComplete(view)) return undefined;
  return (await get("/v1/analytics/dashboard", { query: apiQuery(view), signal })).data;
}

/**
 * @param {View} view
 * @param {AbortSignal} signal
 */
async function loadDaily(view, signal) {
  if (!isComplete(view)) return undefined;
  return (await get("/v1/analytics/daily", { query: { ...apiQuery(view), metrics }, signal })).data;
}

/** @typedef {{data?: any, problem?: import("../../core/api.js").Problem, reload: () => void}} Load */

/** @param {{view: View, data?: Data, daily: Load, round: number}} props */
function Content({ view, data, daily, round }) {
  const isCompared = view.compare !== "none";
  const otherName = { year_ago: texts.yearAgo, calendar: texts.unitsBefore[view.period] }[view.compare] ?? texts.before;
  return html`
    <p class="view-of" role="status">${data ? describe(data) : strings.common.loading}</p>
    ${daily.problem ? html`<${ProblemMessage} problem=${daily.problem} onRetry=${daily.reload} />` : null}
    ${sections.map((s) => html`<${Section} title=${s.title} key=${s.title}>
      <${Tiles} figures=${s.tiles.map((path) => figures[path])} isCompared=${isCompared} metrics=${data?.metrics}
        before=${data?.previous?.metrics} />
      ${daily.problem ? null : html`<div class="charts">${s.charts.map((c) => html`<${SeriesChart} key=${c.path} ...${c}
        figure=${figures[c.path]} daily=${daily.data} otherName=${otherName} />`)}</div>`}
      <${Groups} groups=${s.groups} data=${data} isCompared=${isCompared} otherName=${otherName} />
      ${s.title === texts.sections.distribution ? html`<${Rankings} view=${view} round=${round} otherName=${otherName} />` : null}
    <//>`)}`;
}

/** @param {{view: View, round: number, otherName: string}} props */
function Rankings(props) {
  return html`<div class="charts">
    <${Ranking} by="artifact" ...${props} />
    ${can("tokens:read") ? html`<${Ranking} by="person" ...${props} />`
      : html`<p class="muted">${texts.rankings.denied}</p>`}
  </div>`;
}

/**
 * Parts of figures, such as the users by role.
 * @param {{groups?: Group[], data?: Data, isCompared: boolean, otherName: string}} props
 */
function Groups({ groups = [], data, isCompared, otherName }) {
  if (groups.length === 0) return null;
  const before = isCompared ? data?.previous?.metrics : undefined;
  return html`<div class="charts">${groups.map(({ name, title, labels, read }) => html`<figure class="series" key=${name} data-group=${name}>
    <figcaption><h3>${title}</h3></figcaption>
    <${NamedBars} title=${title} name=${name} nameTitle=${texts.name} countTitle=${texts.count} otherName=${otherName}
      rows=${Object.entries(labels).map(([key, label]) => ({
        key, name: label, value: data && read(data.metrics)[key], before: before && read(before)[key],
      }))} />
  </figure>`)}</div>`;
}

const timeOfDay = new Intl.DateTimeFormat(locale, { timeStyle: "short", timeZone: "UTC" });

/**
 * Which days the page shows, and how many if it compares more days with fewer.
 * @param {Data} data
 */
function describe({ period, previous, meta }) {
  const isCounted = previous && previous.period.days !== period.days;
  /** @param {Data["period"]} shown */
  const days = ({ startDate, endDate, days: count }) => {
    const text = texts.days(formatDay(startDate), formatDay(endDate));
    return isCounted ? texts.countedDays(text, count) : text;
  };
  const compared = previous ? texts.comparedWith(days(previous.period)) : "";
  return [`${days(period)}${compared}.`, texts.asOf(timeOfDay.format(new Date(meta.asOf))), meta.partial ? texts.partial : ""].join(" ");
}
