// What the lists of parts of a customer share, such as entitlements: the part that a dialog changes, and the buttons in its row.
import { useState } from "preact/hooks";
import { Button } from "../../components/buttons.js";
import { getResource } from "../../core/api.js";
import { useAction } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";

/**
 * @template T
 * @typedef {{data: T, etag: string}} Resource
 */
/** @typedef {"edit" | "delete"} Action */

/**
 * The state of the dialogs: which one is open, for which part.
 * @template {{id: string}} T
 * @param {{path: any, parameters: (id: string) => Record<string, string>, reload: () => void}} options
 *   path, parameters: of one part; reload: reads the list again
 */
export function useChosen({ path, parameters, reload }) {
  const [chosen, setChosen] = useState(/** @type {{action: "add"} | {action: Action, resource: Resource<T>} | null} */ (null));
  const opening = useAction(async (/** @type {T} */ { id }, /** @type {Action} */ action) => {
    const resource = await getResource(path, { path: parameters(id) }); // the list has no ETags
    setChosen({ action, resource: /** @type {any} */ (resource) });
  });
  return {
    chosen,
    problem: opening.problem,
    add: () => setChosen({ action: "add" }),
    /** @type {(part: T, action: Action) => Promise<void>} */
    choose: async (part, action) => {
      if (!(await opening.run(part, action))) reload(); // somebody else may have deleted it
    },
    close: () => {
      setChosen(null);
      reload();
    },
  };
}

/** @param {{editLabel: string, deleteLabel: string, choose: (action: Action) => void}} props */
export function RowActions({ editLabel, deleteLabel, choose }) {
  return html`<span class="row-actions">
    <${Button} kind="quiet" label=${editLabel} onClick=${() => choose("edit")}>${strings.common.edit}<//>
    <${Button} kind="quiet" label=${deleteLabel} onClick=${() => choose("delete")}>${strings.common.delete}<//>
  </span>`;
}
