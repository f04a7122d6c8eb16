// The variables to extract or compare: rows to edit, and their exchange as JSON.
import { useRef, useState } from "preact/hooks";
import { announce } from "../../components/announcer.js";
import { Button } from "../../components/buttons.js";
import { Select, TextField, optionsOf } from "../../components/fields.js";
import { Section } from "../../components/page.js";
import { downloadText } from "../../core/download.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { fromModel, newVariable, toModel, types } from "./settings.js";

/** @typedef {import("./settings.js").Settings} Settings */
/** @typedef {import("./settings.js").Variable} Variable */

/** The API's limit. */
const maxVariables = 100;

/** @param {{settings: Settings, change: (some: Partial<Settings>) => void}} props */
export function Variables({ settings, change }) {
  const { variables } = settings;
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const add = () => {
    change({ variables: [...variables, newVariable()] });
    requestAnimationFrame(() => /** @type {HTMLElement | undefined} */ ([...(list.current?.querySelectorAll("input") ?? [])].at(-2))?.focus());
  };
  /** @param {number} i */
  const remove = (i) => {
    change({ variables: variables.filter((_, j) => j !== i) });
    announce(strings.media.variables.removed(variables[i].name));
  };
  /** @param {number} i */
  const edit = (i) => (/** @type {Partial<Variable>} */ some) => change({ variables: variables.map((v, j) => (j === i ? { ...v, ...some } : v)) });
  return html`<${Section} title=${strings.media.variables.title} actions=${html`<${ImportExport} settings=${settings} change=${change} />`}>
    <p class="hint">${strings.media.variables.intro} ${settings.task === "compare" ? strings.media.variables.introChanges : ""}</p>
    <div class="variables" ref=${list}>
      ${variables.map((variable, i) => html`<${VariableRow} key=${variable.key} number=${i + 1} variable=${variable}
        isRepeated=${isRepeated(variables, i)} edit=${edit(i)} remove=${() => remove(i)} />`)}
    </div>
    <${Button} onClick=${add} isDisabled=${variables.length >= maxVariables}>${strings.media.variables.add}<//>
  <//>`;
}

/**
 * @param {Variable[]} variables
 * @param {number} i
 */
function isRepeated(variables, i) {
  const name = variables[i].name.trim();
  return name !== "" && variables.slice(0, i).some((v) => v.name.trim() === name);
}

/** @param {{number: number, variable: Variable, isRepeated: boolean, edit: (some: Partial<Variable>) => void, remove: () => void}} props */
function VariableRow({ number, variable, isRepeated, edit, remove }) {
  const texts = strings.media.variables;
  return html`<fieldset class="variable">
    <legend class="visually-hidden">${texts.row(number)}</legend>
    <${TextField} label=${texts.name} isRequired value=${variable.name} maxLength=${100} hint=${isRepeated ? texts.repeated : undefined}
      onChange=${(/** @type {string} */ name) => edit({ name })} />
    <${Select} label=${texts.type} isRequired value=${variable.type} onChange=${(/** @type {any} */ type) => edit({ type })}
      options=${optionsOf(types, texts.types)} />
    <${TextField} label=${texts.description} value=${variable.description} maxLength=${1000}
      onChange=${(/** @type {string} */ description) => edit({ description })} />
    <${Button} kind="quiet" label=${texts.removeNamed(variable.name || texts.row(number))} onClick=${remove}>${texts.remove}<//>
  </fieldset>`;
}

/** @param {{settings: Settings, change: (some: Partial<Settings>) => void}} props */
function ImportExport({ settings, change }) {
  const [failure, setFailure] = useState("");
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  /** @param {any} event */
  const read = async ({ currentTarget }) => {
    const file = currentTarget.files[0];
    try {
      const imported = fromModel(await file.text(), settings);
      change(imported);
      setFailure("");
      announce(strings.media.importing.done(imported.variables.length));
    } catch (error) {
      setFailure(/** @type {Error} */ (error).message);
    }
    if (input.current) input.current.value = ""; // the same file can be chosen again
  };
  const write = () => downloadText("model.json", JSON.stringify(toModel(settings), null, 2) + "\n", "application/json");
  return html`
    ${failure ? html`<p class="error" role="alert">${failure}</p>` : null}
    <input ref=${input} type="file" hidden accept=".json,application/json" aria-label=${strings.media.importing.title} onChange=${read} />
    <${Button} onClick=${() => input.current?.click()}>${strings.media.importing.title}<//>
    <${Button} onClick=${write}>${strings.media.exporting}<//>`;
}
