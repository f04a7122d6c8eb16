// The page for media: asks the API for a summary, values or a comparison of files, and shows the answers with their evidence.
import { useEffect, useRef, useState } from "preact/hooks";
import { announce } from "../../components/announcer.js";
import { Button } from "../../components/buttons.js";
import { CodeBlock } from "../../components/copy.js";
import { Checkbox, Form, Select, TextArea, TextField, optionsOf } from "../../components/fields.js";
import { Page, ProblemMessage, Section } from "../../components/page.js";
import { formatNumber, locale } from "../../core/format.js";
import { html } from "../../core/html.js";
import { setQuery } from "../../core/router.js";
import { strings } from "../../core/strings.js";
import { Answer } from "./answer.js";
import { visibleName } from "./document.js";
import { Files } from "./files.js";
import { newCall, toCurl } from "./request.js";
import { isBusy, useRuns } from "./runs.js";
import { confidences, formats, languages, lengths, tasks, useSettings } from "./settings.js";
import { Variables } from "./variables.js";

/** @typedef {import("./runs.js").Run} Run */
/** @typedef {import("./settings.js").Settings} Settings */
/** @typedef {import("./settings.js").Task} Task */
/** @typedef {{settings: Settings, change: (some: Partial<Settings>) => void}} Editable */

const texts = strings.media;

export default function Media() {
  const [settings, change] = useSettings();
  const [files, setFiles] = useState(/** @type {File[]} */ ([]));
  const [failures, setFailures] = useState({ files: "", variables: "" });
  const runs = useRuns();
  const results = useRef(/** @type {HTMLHeadingElement | null} */ (null));
  /** @param {File[]} chosen */
  const choose = (chosen) => {
    setFiles(chosen);
    setFailures((before) => ({ ...before, files: "" }));
  };
  const submit = () => {
    const found = { files: checkFiles(settings.task, files), variables: checkVariables(settings) };
    setFailures(found);
    if (found.files || found.variables) {
      announce(found.files || found.variables);
      if (found.files) document.getElementById("media-files")?.focus();
      return;
    }
    runs.start(newCalls(settings, files));
    requestAnimationFrame(() => results.current?.focus());
  };
  return html`<${Page} title=${texts.title} intro=${texts.intro}>
    <${Form} submit=${texts.submit[settings.task](files.length)} onSubmit=${submit}>
      <${Tasks} settings=${settings} change=${change} />
      <${Files} files=${files} isComparison=${settings.task === "compare"} failure=${failures.files} onChange=${choose} />
      ${settings.task === "summarize" ? null : html`<${Variables} settings=${settings} change=${change} />`}
      <${Options} settings=${settings} change=${change} />
      ${failures.variables ? html`<p class="error" role="alert">${failures.variables}</p>` : null}
    <//>
    <${Command} settings=${settings} files=${files} />
    ${runs.list.length > 0 ? html`<h2 class="results" ref=${results} tabindex="-1">${texts.results}</h2>` : null}
    ${runs.list.map((run) => html`<${RunCard} key=${run.id} run=${run} runs=${runs} />`)}
  <//>`;
}

/**
 * @param {Task} task
 * @param {File[]} files
 */
function checkFiles(task, files) {
  if (task === "compare") return files.length === 2 ? "" : texts.files.needTwo(files.length);
  return files.length > 0 ? "" : texts.files.needOne;
}

/** @param {Settings} settings */
function checkVariables({ task, variables }) {
  return task !== "extract" || variables.some((v) => v.name.trim()) ? "" : texts.variables.needOne;
}

/**
 * @param {Settings} settings
 * @param {File[]} files
 */
function newCalls(settings, files) {
  const groups = settings.task === "compare" ? [files] : files.map((file) => [file]);
  return groups.map((group) => ({ task: settings.task, call: newCall(settings, group) }));
}

/** @param {Editable} props */
function Tasks({ settings, change }) {
  /** @param {Task} task */
  const choose = (task) => {
    change({ task });
    setQuery({ task }, { replace: true });
  };
  return html`<fieldset class="choices">
    <legend>${texts.task}</legend>
    ${tasks.map((task) => html`<label class="choice" key=${task}>
      <input type="radio" name="task" value=${task} checked=${settings.task === task} onChange=${() => choose(task)}
        aria-labelledby=${`task-${task}`} aria-describedby=${`task-${task}-hint`} />
      <span id=${`task-${task}`}>${texts.tasks[task].title}</span>
      <span class="hint" id=${`task-${task}-hint`}>${texts.tasks[task].hint}</span>
    </label>`)}
  </fieldset>`;
}

const languageNames = new Intl.DisplayNames(locale, { type: "language" });

/** @param {Editable} props */
function Options({ settings, change }) {
  const labels = texts.options;
  /** @param {keyof Settings} name */
  const set = (name) => (/** @type {any} */ value) => change({ [name]: value });
  const isSummary = settings.task === "summarize";
  return html`<${Section} title=${labels.title}>
    <div class="fields">
      ${isSummary ? html`
        <${Select} label=${labels.format} isRequired value=${settings.format} onChange=${set("format")}
          options=${optionsOf(formats, labels.formats)} />
        <${Select} label=${labels.length} isRequired value=${settings.length} onChange=${set("length")}
          options=${optionsOf(lengths, labels.lengths)} />` : null}
      <${Select} label=${labels.language} isRequired value=${settings.lang} onChange=${set("lang")} options=${[
        { value: "", label: labels.anyLanguage }, ...languages.map((code) => ({ value: code, label: languageNames.of(code) ?? code })),
      ]} />
      ${isSummary ? null : html`<${Select} label=${labels.confidence} isRequired value=${settings.minConfidence} onChange=${set("minConfidence")}
        options=${confidenceOptions(settings.minConfidence)} />`}
    </div>
    ${isSummary ? html`<${TextField} label=${labels.hint} hint=${labels.hintHint} value=${settings.hint} maxLength=${1000}
      onChange=${set("hint")} />` : null}
    ${settings.task === "compare" ? html`<${TextArea} label=${labels.prompt} hint=${labels.promptHint} rows=${2}
      value=${settings.prompt} maxLength=${4000} onChange=${set("prompt")} />` : null}
    <details open=${settings.keywords !== ""}>
      <summary>${labels.recordings}</summary>
      <${TextArea} label=${labels.keywords} hint=${labels.keywordsHint} rows=${3} value=${settings.keywords} onChange=${set("keywords")} />
    </details>
    <${Checkbox} label=${labels.job} hint=${labels.jobHint} value=${settings.isJob} onChange=${set("isJob")} />
  <//>`;
}

/** @param {string} chosen which is an option, too */
function confidenceOptions(chosen) {
  const all = [...new Set([...confidences, ...(chosen ? [chosen] : [])])].sort((a, b) => Number(a) - Number(b));
  return [
    { value: "", label: texts.options.anyConfidence },
    ...all.map((value) => ({ value, label: strings.common.percent(formatNumber(Number(value) * 100, 1)) })),
  ];
}

/** @param {{settings: Settings, files: File[]}} props */
function Command({ settings, files }) {
  const placeholders = settings.task === "compare" ? ["first-file", "second-file"] : ["your-file"];
  const filesForCommand = placeholders.map((name, i) => files[i] ?? new File([], name));
  return html`<details class="card">
    <summary>${texts.curl}</summary>
    <p class="hint">${texts.curlHint}</p>
    <${CodeBlock} label=${texts.curl} text=${toCurl(newCall(settings, filesForCommand), location.origin)} />
  </details>`;
}

/** @param {{run: Run, runs: ReturnType<typeof useRuns>}} props */
function RunCard({ run, runs }) {
  const title = run.names.length > 0 ? run.names.map(visibleName).join(` ${texts.and} `) : texts.unnamed;
  useEffect(() => {
    if (run.state === "done") announce(texts.done(title));
  }, [run.state]);
  return html`<section class="card" aria-label=${`${texts.tasks[run.task].title}: ${title}`}>
    <div class="section-head">
      <h3><span class="muted">${texts.tasks[run.task].title}</span> <bdi>${title}</bdi></h3>
      <div class="actions">
        ${isBusy(run) ? html`<${Button} label=${texts.stopNamed(title)} onClick=${() => runs.stop(run.id)}>${texts.stop}<//>` : html`
          <${Button} kind="quiet" label=${texts.removeNamed(title)} onClick=${() => runs.remove(run.id)}>${texts.remove}<//>`}
      </div>
    </div>
    ${isBusy(run) ? html`<${Progress} run=${run} />` : null}
    ${run.state === "stopped" ? html`<p>${run.jobId ? texts.stoppedJob : texts.stopped}</p>` : null}
    ${run.state === "failed" ? html`<${ProblemMessage} problem=${run.problem} />` : null}
    ${run.state === "done" ? html`<${Answer} run=${run} />` : null}
    ${canRepeat(run) ? html`<p><${Button} onClick=${() => runs.retry(run.id)}>
      ${run.jobId && run.state === "stopped" ? texts.waitAgain : texts.repeat}<//></p>` : null}
    ${run.call ? html`<details><summary>${texts.curl}</summary>
      <${CodeBlock} label=${texts.curl} text=${toCurl(run.call, location.origin)} /></details>` : null}
  </section>`;
}

/** @param {Run} run */
function canRepeat(run) {
  return (run.state === "failed" && run.call !== null) || (run.state === "stopped" && (run.call !== null || run.jobId !== ""));
}

/** @param {{run: Run}} props */
function Progress({ run }) {
  const isMeasured = run.state === "uploading" || run.state === "running";
  const percent = Math.round(run.progress * 100);
  const label = texts.states[run.state] ?? "";
  return html`<div class="progress">
    <progress max="100" value=${isMeasured ? percent : undefined} aria-label=${label}></progress>
    <p><span role="status">${label}</span>${isMeasured ? ` ${strings.common.percent(String(percent))}` : ""}</p>
    ${run.jobId ? html`<p class="hint">${texts.jobKept}</p>` : null}
  </div>`;
}
