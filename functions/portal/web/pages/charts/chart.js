// A chart with all its versions.
import { CursorPager } from "../../components/pager.js";
import { Digest, UntrustedText } from "../../components/untrusted.js";
import { Loaded, Page, Section } from "../../components/page.js";
import { RecentPulls } from "../../components/pulls.js";
import { Badge, Table } from "../../components/table.js";
import { get } from "../../core/api.js";
import { formatBytes, formatDateTime } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { setQuery, useAddress } from "../../core/router.js";
import { strings } from "../../core/strings.js";

const texts = strings.charts;
const limit = 50;

/** @typedef {import("../../core/types").Schema<"ChartVersion">} Version */

/** @param {{params: Record<string, string>}} props */
export default function Chart({ params: { name } }) {
  const cursor = useAddress().query.get("cursor") ?? "";
  const load = useLoad((signal) => get("/v1/charts/{name}", { path: { name }, query: { cursor, limit }, signal }), [name, cursor]);
  return html`<${Page} title=${name} intro=${html`<a href="/portal/charts">${texts.all}</a>`}>
    <${Loaded} load=${load}>${(/** @type {any} */ { data, pagination }) => html`
      <${Section} title=${texts.versionsTitle}>
        <${VersionTable} name=${name} versions=${data} />
        <${CursorPager} label=${texts.versionsTitle} first=${strings.lists.first} next=${strings.common.next} isFirst=${!cursor}
          cursor=${pagination.next} onChange=${(/** @type {string} */ next) => setQuery({ cursor: next })} />
      <//>
      <${RecentPulls} kind="chart" repository=${name} />`}
    <//>
  <//>`;
}

/**
 * @param {string} name
 * @param {string} version
 */
function versionAddress(name, version) {
  return `/portal/charts/${encodeURIComponent(name)}/${encodeURIComponent(version)}`;
}

/** @param {{name: string, versions: Version[]}} props */
function VersionTable({ name, versions }) {
  const columns = [
    {
      title: texts.version, cell: (/** @type {Version} */ v) => html`<a href=${versionAddress(name, v.version)}>${v.version}</a>
        ${v.deprecated ? html` <${Badge} tone="warning">${texts.deprecated}<//>` : null}`,
    },
    { title: texts.appVersion, cell: (/** @type {Version} */ v) => html`<${UntrustedText} text=${v.appVersion} most=${40} />` },
    { title: texts.published, cell: (/** @type {Version} */ v) => formatDateTime(v.createdAt) },
    { title: texts.size, cell: (/** @type {Version} */ v) => formatBytes(v.size), isNumber: true },
    { title: texts.digest, cell: (/** @type {Version} */ v) => html`<${Digest} digest=${v.digest} />` },
    {
      title: texts.signature, cell: (/** @type {Version} */ v) => (v.signed ? html`<${Badge} tone="good">${texts.signed}<//>` : texts.unsigned),
    },
  ];
  return html`<${Table} caption=${texts.versionsTitle} columns=${columns} rows=${versions} rowKey=${(/** @type {Version} */ v) => v.version} />`;
}
