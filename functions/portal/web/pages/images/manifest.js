// One image or chart of the registry: how to pull it, its platforms, and what is attached to it.
import { CodeBlock, CopyField } from "../../components/copy.js";
import { Digest, UntrustedText } from "../../components/untrusted.js";
import { Loaded, Page, Section } from "../../components/page.js";
import { RecentPulls } from "../../components/pulls.js";
import { Badge, Table } from "../../components/table.js";
import { Tabs } from "../../components/tabs.js";
import { get } from "../../core/api.js";
import { formatBytes, formatDateTime, formatNumber } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { pullCommands } from "./commands.js";

const texts = strings.images;

/** @typedef {import("../../core/types").Schema<"ImageManifest">} Manifest */
/** @typedef {import("../../core/types").Schema<"ImagePlatform">} Platform */
/** @typedef {import("../../core/types").Schema<"ImageAttachment">} Attachment */

/** @param {{params: Record<string, string>}} props */
export default function ManifestPage({ params: { repository, reference } }) {
  const load = useLoad((signal) => get("/v1/images/manifests", { query: { repository, reference }, signal }), [repository, reference]);
  const all = html`<a href=${address(repository)}>${texts.allTags(repository)}</a>`;
  return html`<${Page} title=${`${repository}${reference.includes(":") ? "@" : ":"}${reference}`} intro=${all}>
    <${Loaded} load=${load}>${(/** @type {any} */ { data }) => html`
      <${Pull} manifest=${data} />
      <${About} manifest=${data} />
      ${data.platforms.length > 0 ? html`<${Platforms} manifest=${data} />` : null}
      <${Attached} attached=${data.attached} />
      <${RecentPulls} repository=${repository} />`}
    <//>
  <//>`;
}

/**
 * @param {string} repository
 * @param {string} [reference]
 */
function address(repository, reference) {
  return ["/portal/images", repository, reference].filter((part) => part !== undefined)
    .map((part, i) => (i === 0 ? part : encodeURIComponent(/** @type {string} */ (part)))).join("/");
}

/** @param {{manifest: Manifest}} props */
function Pull({ manifest }) {
  const isChart = manifest.content === "chart";
  const version = /^[A-Za-z0-9.+-]+$/.test(manifest.chart?.version ?? "") ? manifest.chart?.version : undefined;
  const tabs = pullCommands({ ...manifest, isChart, version }).map(({ name, title, text }) => ({
    name, title, content: () => html`<${CodeBlock} key=${name} label=${strings.secret.commandsFor(title)} text=${text} />`,
  }));
  return html`<${Section} title=${texts.pull}>
    <p class="hint">${strings.lists.loginHint} <a href="/portal">${strings.lists.toLogin}</a></p>
    <${Tabs} label=${strings.secret.clients} tabs=${tabs} />
  <//>`;
}

/** @param {{manifest: Manifest}} props */
function About({ manifest: m }) {
  return html`<${Section} title=${texts.about}>
    ${m.chart ? html`<p><${UntrustedText} text=${m.chart.description} /></p>` : null}
    <${CopyField} label=${texts.digestLabel} text=${m.digest} />
    <dl class="facts">
      <dt>${texts.type}</dt><dd>${texts.contents[m.content]}
        <span class="muted">(<${UntrustedText} text=${m.artifactType ?? m.mediaType} most=${120} />)</span></dd>
      ${m.chart ? html`<dt>${strings.charts.name}</dt><dd><${UntrustedText} text=${`${m.chart.name} ${m.chart.version}`} /></dd>` : null}
      ${m.size === null ? null : html`<dt>${texts.size}</dt><dd>${formatBytes(m.size)}</dd>`}
      ${m.layers === null ? null : html`<dt>${texts.layers}</dt><dd>${formatNumber(m.layers)}</dd>`}
      ${m.createdAt ? html`<dt>${texts.created}</dt><dd>${formatDateTime(m.createdAt)}</dd>` : null}
      <${Texts} title=${texts.labels} texts=${m.labels} />
      <${Texts} title=${texts.annotations} texts=${m.annotations} />
    </dl>
  <//>`;
}

/** @param {{title: string, texts: Record<string, string>}} props */
function Texts({ title, texts: named }) {
  const entries = Object.entries(named);
  if (entries.length === 0) return null;
  return html`<dt>${title}</dt><dd><ul class="plain">${entries.map(([name, value]) => html`<li key=${name}>
    <span class="muted"><${UntrustedText} text=${name} most=${100} />:</span> <${UntrustedText} text=${value} /></li>`)}</ul></dd>`;
}

/** @param {{manifest: Manifest}} props */
function Platforms({ manifest }) {
  const columns = [
    {
      title: texts.platform,
      cell: (/** @type {Platform} */ p) => html`<a href=${address(manifest.repository, p.digest)}
        ><${UntrustedText} text=${p.platform} most=${100} /></a>`,
    },
    { title: texts.digest, cell: (/** @type {Platform} */ p) => html`<${Digest} digest=${p.digest} />` },
    { title: texts.size, cell: (/** @type {Platform} */ p) => (p.size === null ? "–" : formatBytes(p.size)), isNumber: true },
    { title: texts.layers, cell: (/** @type {Platform} */ p) => (p.layers === null ? "–" : formatNumber(p.layers)), isNumber: true },
  ];
  return html`<${Section} title=${texts.platforms}>
    <${Table} caption=${texts.platforms} columns=${columns} rows=${manifest.platforms}
      rowKey=${(/** @type {Platform} */ p) => p.digest + p.platform} />
  <//>`;
}

/** @param {{attached: Attachment[]}} props */
function Attached({ attached }) {
  if (attached.length === 0) return html`<${Section} title=${texts.attached}><p class="muted">${texts.nothingAttached}</p><//>`;
  const columns = [
    {
      title: texts.purpose,
      cell: (/** @type {Attachment} */ a) => html`<${Badge} tone=${a.purpose === "other" ? "neutral" : "good"}>${texts.purposes[a.purpose]}<//>`,
    },
    { title: texts.format, cell: (/** @type {Attachment} */ a) => a.format ?? html`<${UntrustedText} text=${a.type} most=${80} />` },
    { title: texts.digest, cell: (/** @type {Attachment} */ a) => html`<${Digest} digest=${a.digest} />` },
    { title: texts.size, cell: (/** @type {Attachment} */ a) => formatBytes(a.size), isNumber: true },
  ];
  return html`<${Section} title=${texts.attached}>
    <${Table} caption=${texts.attached} columns=${columns} rows=${attached} rowKey=${(/** @type {Attachment} */ a) => a.digest + a.type} />
    <p class="hint">${texts.attachedHint}</p>
  <//>`;
}
