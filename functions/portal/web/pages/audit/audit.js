// Who changed what.
import { useState } from "preact/hooks";
import { Button } from "../../components/buttons.js";
import { CursorPager } from "../../components/pager.js";
import { Empty, Loaded, Page, ProblemMessage } from "../../components/page.js";
import { get } from "../../core/api.js";
import { useAction, useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { setQuery, useAddress } from "../../core/router.js";
import { isStaff } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { downloadEvents } from "./download.js";
import { EventTable } from "./events.js";
import { Filters, names } from "./filters.js";

const texts = strings.audit;
const limit = 50;

export default function Audit() {
  const { query } = useAddress();
  const view = Object.fromEntries(names.map((name) => [name, query.get(name) ?? ""]));
  const cursor = query.get("cursor") ?? "";
  const load = useLoad((signal) => get("/v1/audit", { query: { .../** @type {object} */ (view), cursor, limit }, signal }), [query.toString()]);
  const [isCut, setCut] = useState(false);
  const download = useAction(async () => setCut(!(await downloadEvents(view))));
  const actions = html`<${Button} isRunning=${download.isRunning} onClick=${() => download.run()}>${texts.download}<//>`;
  return html`<${Page} title=${texts.title} intro=${isStaff() ? texts.introAll : texts.introOwn} actions=${actions}>
    ${download.problem ? html`<${ProblemMessage} problem=${download.problem} />` : null}
    <div role="status">${isCut ? html`<p class="note warning">${texts.cut}</p>` : null}</div>
    <${Filters} key=${names.map((name) => view[name]).join(" ")} view=${view} />
    <${Loaded} load=${load}>${(/** @type {any} */ { data, pagination }) => html`
      ${data.length > 0 ? html`<${EventTable} events=${data} />`
        : pagination.hasMore ? html`<p role="status">${strings.lists.searchOn}</p>`
          : html`<${Empty} title=${texts.none}><p>${texts.noneText}</p><//>`}
      <${CursorPager} label=${texts.title} first=${strings.lists.first} next=${strings.common.next} isFirst=${!cursor}
        cursor=${pagination.next} onChange=${(/** @type {string} */ next) => setQuery({ cursor: next })} />`}
    <//>
  <//>`;
}
