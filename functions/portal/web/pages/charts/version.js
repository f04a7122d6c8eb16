// One version of a chart: how to install it, what its author says about it, and its files.
import { CodeBlock, CopyField } from "../../components/copy.js";
import { UntrustedText, UntrustedLink, HiddenRemark, visible } from "../../components/untrusted.js";
import { Loaded, Page, Section } from "../../components/page.js";
import { RecentPulls } from "../../components/pulls.js";
import { Badge, Table } from "../../components/table.js";
import { Tabs } from "../../components/tabs.js";
import { get } from "../../core/api.js";
import { formatBytes, formatDateTime } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { chartCommands } from "./commands.js";

const texts = strings.charts;

/** @typedef {import("../../core/types").Schema<"ChartDetails">} Details */
/** @typedef {import("../../core/types").Schema<"ChartText">} Text */
/** @typedef {import("../../core/types").Schema<"ChartDependency">} Dependency */

/** @param {{params: Record<string, string>}} props */
export default function Version({ params: { name, version } }) {
  const load = useLoad((signal) => get("/v1/charts/{name}/{version}", { path: { name, version }, signal }), [name, version]);
  const all = html`<a href=${`/portal/charts/${encodeURIComponent(name)}`}>${texts.allVersions(name)}</a>`;
  return html`<${Page} title=${`${name} ${version}`} intro=${all}>
    <${Loaded} load=${load}>${(/** @type {any} */ { data }) => html`
      ${data.deprecated ? html`<p class="note warning">${texts.isDeprecated}</p>` : null}
      <${Install} chart=${data} />
      <${About} chart=${data} />
      <${Files} chart=${data} />
      <${RecentPulls} kind="chart" repository=${name} />`}
    <//>
  <//>`;
}

/** @param {{chart: Details}} props */
function Install({ chart }) {
  return html`<${Section} title=${texts.install}>
    <p class="hint">${strings.lists.loginHint} <a href="/portal">${strings.lists.toLogin}</a></p>
    ${chartCommands(chart).map((c) => html`<p class="small">${texts.commands[c.name]}</p>
      <${CodeBlock} key=${c.name} label=${texts.commands[c.name]} text=${c.text} />`)}
    ${chart.signed ? html`<p class="hint">${texts.keyring}</p>` : null}
  <//>`;
}

/** @param {{chart: Details}} props */
function About({ chart }) {
  return html`<${Section} title=${texts.about}>
    <p><${UntrustedText} text=${chart.description} most=${2000} /></p>
    <${CopyField} label=${texts.digestLabel} text=${chart.digest} />
    <dl class="facts">
      <dt>${texts.appVersion}</dt><dd><${UntrustedText} text=${chart.appVersion} /></dd>
      <dt>${texts.published}</dt><dd>${formatDateTime(chart.createdAt)}</dd>
      <dt>${texts.size}</dt><dd>${formatBytes(chart.size)}</dd>
      <dt>${texts.signature}</dt><dd>${chart.signed ? html`<${Badge} tone="good">${texts.signed}<//>` : texts.unsigned}</dd>
      ${fact(texts.kubeVersion, chart.kubeVersion)}
      ${chart.home ? html`<dt>${texts.home}</dt><dd><${UntrustedLink} address=${chart.home} /></dd>` : null}
      ${list(texts.sources, chart.sources.map((s) => html`<${UntrustedLink} address=${s} />`))}
      ${list(texts.maintainers, chart.maintainers.map((m) => html`<${UntrustedLink} text=${m.name}
        address=${m.email ? `mailto:${m.email}` : m.url} />`))}
      ${list(texts.keywords, chart.keywords.map((k) => html`<${UntrustedText} text=${k} most=${60} />`))}
      ${list(texts.annotations, Object.entries(chart.annotations).map(([k, v]) => html`<${UntrustedText} text=${`${k}: ${v}`} />`))}
    </dl>
    ${chart.dependencies.length > 0 ? html`<${Dependencies} dependencies=${chart.dependencies} />` : null}
  <//>`;
}

/**
 * @param {string} title
 * @param {string} text
 */
function fact(title, text) {
  return text ? html`<dt>${title}</dt><dd><${UntrustedText} text=${text} /></dd>` : null;
}

const mostListed = 50;

/**
 * @param {string} title
 * @param {any[]} entries
 */
function list(title, entries) {
  if (entries.length === 0) return null;
  return html`<dt>${title}</dt><dd><ul class="plain">${entries.slice(0, mostListed).map((e) => html`<li>${e}</li>`)}</ul></dd>`;
}

/** @param {{dependencies: Dependency[]}} props */
function Dependencies({ dependencies }) {
  const columns = [
    { title: texts.name, cell: (/** @type {Dependency} */ d) => html`<${UntrustedText} text=${d.alias ? `${d.name} (${d.alias})` : d.name} />` },
    { title: texts.version, cell: (/** @type {Dependency} */ d) => html`<${UntrustedText} text=${d.version} />` },
    { title: texts.repository, cell: (/** @type {Dependency} */ d) => html`<${UntrustedLink} address=${d.repository} />` },
    { title: texts.condition, cell: (/** @type {Dependency} */ d) => html`<${UntrustedText} text=${d.condition} />` },
  ];
  return html`<${Table} caption=${texts.dependencies} columns=${columns} rows=${dependencies.slice(0, mostListed)} showCaption
    rowKey=${(/** @type {Dependency} */ d) => d.name + d.alias} />`;
}

/** @param {{chart: Details}} props */
function Files({ chart }) {
  const files = /** @type {const} */ (["readme", "values", "schema", "provenance"]).filter((name) => chart[name]);
  if (files.length === 0) return null;
  const tabs = files.map((name) => ({
    name, title: texts.files[name], content: () => html`<${File} key=${name} label=${texts.files[name]} file=${chart[name]} />`,
  }));
  return html`<${Section} title=${texts.filesTitle}><${Tabs} label=${texts.filesTitle} tabs=${tabs} /><//>`;
}

/** @param {{label: string, file: Text}} props */
function File({ label, file }) {
  return html`
    ${file.cut ? html`<p class="note warning">${texts.cut(formatBytes(file.size))}</p>` : null}
    <${HiddenRemark} text=${file.text} />
    <${CodeBlock} label=${label} text=${visible(file.text)} />`;
}
