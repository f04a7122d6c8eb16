// Importing users from a file: choose it, see the preview, import, and read the report.
import { useRef, useState } from "preact/hooks";
import { Button } from "../../components/buttons.js";
import { Checkbox } from "../../components/fields.js";
import { FileField } from "../../components/filefield.js";
import { Page, ProblemMessage, Section } from "../../components/page.js";
import { downloadText } from "../../core/download.js";
import { useLeaveWarning } from "../../core/leave-guard.js";
import { asProblem, useAction } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { exampleCSV, importRows, optionalColumns, preview, readSource } from "./importing.js";
import { Done, Preview, Progress } from "./importreport.js";

const texts = strings.userImport;

/** @typedef {import("./importing.js").Row} Row */
/** @typedef {import("./importing.js").Source} Source */
/** @typedef {{source: Source, checked: Row[], results: Row[], state: "checked" | "running" | "ended"}} Import */

export default function ImportUsers() {
  const [current, setCurrent] = useState(/** @type {Import | null} */ (null));
  const restart = () => setCurrent(null);
  return html`<${Page} title=${texts.title} intro=${current ? undefined : texts.intro}>
    ${current ? html`<${Run} current=${current} setCurrent=${setCurrent} onRestart=${restart} />`
      : html`<${Choose} onChecked=${(/** @type {Source} */ source, /** @type {Row[]} */ checked) =>
        setCurrent({ source, checked, results: [], state: "checked" })} />`}
  <//>`;
}

/** @param {{onChecked: (source: Source, rows: Row[]) => void}} props */
function Choose({ onChecked }) {
  const [sendsMail, setSendsMail] = useState(false);
  const check = useAction(async (/** @type {File} */ file) => {
    const source = await readSource(file);
    onChecked(source, (await preview(source, sendsMail)).rows);
  });
  return html`<${Section} title=${texts.file}>
    <p>${texts.formats(optionalColumns)}</p>
    <p><${Button} onClick=${() => downloadText("users.csv", exampleCSV, "text/csv")}>${texts.example}<//></p>
    <${Checkbox} label=${texts.sendMail} hint=${texts.sendMailHint} value=${sendsMail} onChange=${setSendsMail} />
    <${ProblemMessage} problem=${check.problem} />
    <${FileField} label=${texts.file} text=${check.isRunning ? texts.checking : texts.drop} accept=".csv,.jsonl,.ndjson"
      isDisabled=${check.isRunning} onFile=${(/** @type {File} */ file) => check.run(file)} />
  <//>`;
}

/** @param {{current: Import, setCurrent: (update: (before: Import | null) => Import | null) => void, onRestart: () => void}} props */
function Run({ current, setCurrent, onRestart }) {
  const [problem, setProblem] = useState(/** @type {import("../../core/api.js").Problem | undefined} */ (undefined));
  const [waiting, setWaiting] = useState(0);
  const abort = useRef(/** @type {AbortController | null} */ (null));
  const ready = current.checked.filter((row) => row.status === "ready");
  useLeaveWarning(current.state === "running");

  /** @type {(part: (before: Import) => Partial<Import>) => void} */
  const update = (part) => setCurrent((before) => (before ? { ...before, ...part(before) } : before));
  const start = async () => {
    if (current.state === "running") return;
    const { signal } = (abort.current = new AbortController());
    setProblem(undefined);
    update(() => ({ state: "running" }));
    try {
      await importRows(ready.slice(current.results.length), {
        signal, onWait: setWaiting, onPiece: (rows) => update((before) => ({ results: [...before.results, ...rows] })),
      });
    } catch (error) {
      setProblem(asProblem(error));
    }
    setWaiting(0);
    update(() => ({ state: "ended" }));
  };

  const { results, state } = current;
  if (state === "checked") return html`<${Preview} name=${current.source.name} rows=${current.checked} onStart=${start} onRestart=${onRestart} />`;
  if (state === "running") {
    return html`<${Progress} done=${results.length} total=${ready.length} waiting=${waiting} onCancel=${() => abort.current?.abort()} />`;
  }
  const others = current.checked.filter((row) => row.status !== "ready");
  return html`<${Done} rows=${[...others, ...results]} remaining=${ready.length - results.length} problem=${problem}
    onResume=${start} onRestart=${onRestart} />`;
}
