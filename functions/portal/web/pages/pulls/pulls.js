// Who pulled what.
import { useState } from "preact/hooks";
import { Button } from "../../components/buttons.js";
import { Select, TextField } from "../../components/fields.js";
import { CursorPager } from "../../components/pager.js";
import { Empty, Loaded, Page } from "../../components/page.js";
import { PullTable } from "../../components/pulls.js";
import { get } from "../../core/api.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { setQuery, useAddress } from "../../core/router.js";
import { canForAll } from "../../core/session.js";
import { strings } from "../../core/strings.js";

const texts = strings.pulls;
const limit = 50;
const filters = /** @type {const} */ (["type", "repository", "kind", "from", "to", "token"]);

export default function Pulls() {
  const { query } = useAddress();
  const view = Object.fromEntries([...filters, "cursor"].map((name) => [name, query.get(name) ?? ""]));
  const load = useLoad((signal) => get("/api/v1/pulls", { query: { ...view, limit }, signal }), [query.toString()]);
  const areChecks = view.type === "check";
  const intro = areChecks ? texts.introChecks : canForAll("tokens:read") ? texts.introAll : texts.introOwn;
  return html`<${Page} title=${texts.title} intro=${intro}>
    <${Filters} key=${filters.map((name) => view[name]).join(" ")} view=${view} />
    <${Loaded} load=${load}>${(/** @type {any} */ { data, pagination }) => html`
      ${data.length > 0 ? html`<${PullTable} pulls=${data} areChecks=${areChecks} />`
        : pagination.hasMore ? html`<p role="status">${strings.lists.searchOn}</p>`
          : html`<${Empty} title=${areChecks ? texts.noChecks : texts.none}><p>${texts.noneText}</p><//>`}
      <${CursorPager} label=${texts.title} first=${strings.lists.first} next=${strings.common.next} isFirst=${!view.cursor}
        cursor=${pagination.next} onChange=${(/** @type {string} */ cursor) => setQuery({ cursor })} />`}
    <//>
  <//>`;
}

/** @param {{view: Record<string, string>}} props */
function Filters({ view }) {
  const [values, setValues] = useState(view);
  /** @type {(name: string) => (value: string) => void} */
  const set = (name) => (value) => setValues((before) => ({ ...before, [name]: value.trim() }));
  /** @param {SubmitEvent} event */
  const find = (event) => {
    event.preventDefault();
    setQuery({ ...values, cursor: null });
  };
  const kinds = [{ value: "", label: texts.allKinds }, { value: "chart", label: texts.kinds.chart }, { value: "image", label: texts.kinds.image }];
  const types = [{ value: "", label: texts.types.pull }, { value: "check", label: texts.types.check }];
  return html`<form class="fields" role="search" onSubmit=${find}>
    <${Select} label=${texts.type} value=${values.type} options=${types} onChange=${set("type")} hidesOptional />
    <${TextField} label=${texts.repository} value=${values.repository} onChange=${set("repository")} maxLength=${255} hidesOptional />
    <${Select} label=${texts.kind} value=${values.kind} options=${kinds} onChange=${set("kind")} hidesOptional />
    <${TextField} label=${texts.fromDay} type="date" value=${values.from} onChange=${set("from")} hidesOptional />
    <${TextField} label=${texts.toDay} type="date" value=${values.to} onChange=${set("to")} hidesOptional />
    <div class="field"><${Button} type="submit">${strings.lists.find}<//></div>
  </form>`;
}
