// The settings of the page: the task, its options and its variables. The tab keeps them until it is closed.
import { useState } from "preact/hooks";
import { isObject } from "../../core/json.js";
import { currentUser } from "../../core/session.js";
import { strings } from "../../core/strings.js";

/** @typedef {"summarize" | "extract" | "compare"} Task */
/** @typedef {"string" | "number" | "date" | "boolean"} Type */
/** @typedef {{key: number, name: string, type: Type, description: string}} Variable */
/**
 * @typedef {object} Settings
 * @property {Task} task
 * @property {string} format
 * @property {string} length
 * @property {string} lang
 * @property {string} hint
 * @property {string} prompt
 * @property {string} minConfidence digits; empty: what the service finds enough
 * @property {string} keywords one on each line
 * @property {boolean} isJob whether to ask for a job
 * @property {Variable[]} variables
 */

/** @type {Task[]} */
export const tasks = ["summarize", "extract", "compare"];
export const formats = ["paragraph", "bullet"];
export const lengths = ["short", "medium", "long"];
/** The choices of the least confidence; an import can set others. */
export const confidences = ["0.3", "0.5", "0.9", "0.95"];
export const languages = ["en", "es", "pt", "fr", "de", "it", "nl", "sv", "pl", "ro"];
/** @type {Type[]} */
export const types = ["string", "number", "date", "boolean"];

/** @type {Settings} */
const initial = {
  task: "summarize", format: "paragraph", length: "medium", lang: "", hint: "", prompt: "", minConfidence: "", keywords: "", isJob: false,
  variables: [],
};

/** The model's keys for each task, in the order of the documentation. */
const modelKeys = {
  summarize: ["format", "length", "lang", "summary_hint", "metadata"],
  extract: ["variables", "lang", "minConfidence", "metadata"],
  compare: ["variables", "lang", "prompt", "minConfidence", "metadata"],
};

/**
 * The settings as the field `model` of the API, without those that equal the API's defaults.
 * @param {Settings} settings
 * @returns {Record<string, unknown>}
 */
export function toModel(settings) {
  const metadata = settings.keywords.split("\n").map((line) => line.trim()).filter(Boolean);
  const named = settings.variables.filter((v) => v.name.trim());
  /** @type {Record<string, unknown>} */
  const all = {
    format: settings.format === "paragraph" ? "" : settings.format,
    length: settings.length === "medium" ? "" : settings.length,
    lang: settings.lang,
    summary_hint: settings.hint.trim(),
    prompt: settings.prompt.trim(),
    minConfidence: settings.minConfidence && Number(settings.minConfidence),
    metadata: metadata.length > 0 ? metadata : "",
    variables: Object.fromEntries(named.map((v) => [v.name.trim(), describe(v)])), // fromEntries accepts any name, even __proto__
  };
  return Object.fromEntries(modelKeys[settings.task].filter((key) => all[key] !== "").map((key) => [key, all[key]]));
}

/** @param {Variable} variable */
function describe({ type, description }) {
  return description.trim() ? { type, description: description.trim() } : { type };
}

/**
 * The settings that a model describes. It throws an Error with an explanation if the text is not a model.
 * @param {string} text JSON
 * @param {Settings} before settings that the model does not mention
 * @returns {Settings}
 */
export function fromModel(text, before) {
  const model = parse(text);
  const known = new Set(Object.values(modelKeys).flat());
  const unknown = Object.keys(model).find((key) => !known.has(key));
  if (unknown !== undefined) throw new Error(strings.media.importing.unknownKey(unknown));
  return {
    ...before,
    format: choice(model, "format", formats) ?? before.format,
    length: choice(model, "length", lengths) ?? before.length,
    lang: choice(model, "lang", languages) ?? before.lang,
    hint: optionalText(model, "summary_hint") ?? before.hint,
    prompt: optionalText(model, "prompt") ?? before.prompt,
    minConfidence: confidence(model) ?? before.minConfidence,
    keywords: keywords(model) ?? before.keywords,
    variables: model.variables === undefined ? before.variables : variables(model.variables),
  };
}

/** @param {string} text */
function parse(text) {
  let model;
  try {
    model = JSON.parse(text);
  } catch {
    throw new Error(strings.media.importing.notJSON);
  }
  if (!isObject(model)) throw new Error(strings.media.importing.notObject);
  return model;
}

/**
 * @param {any} model
 * @param {string} key
 * @param {string[]} values
 */
function choice(model, key, values) {
  const value = optionalText(model, key);
  if (value !== undefined && !values.includes(value)) throw new Error(strings.media.importing.notOneOf(key, values));
  return value;
}

/**
 * @param {any} model
 * @param {string} key
 * @returns {string | undefined}
 */
function optionalText(model, key) {
  if (model[key] !== undefined && typeof model[key] !== "string") throw new Error(strings.media.importing.notText(key));
  return model[key];
}

/** @param {any} model */
function confidence({ minConfidence }) {
  if (minConfidence === undefined) return undefined;
  if (typeof minConfidence !== "number" || !(minConfidence > 0 && minConfidence <= 1)) throw new Error(strings.media.importing.notConfidence);
  return String(minConfidence);
}

/** @param {any} model */
function keywords(model) {
  if (model.metadata === undefined) return undefined;
  const isList = Array.isArray(model.metadata) && model.metadata.every((/** @type {unknown} */ k) => typeof k === "string");
  if (!isList) throw new Error(strings.media.importing.notKeywords);
  return model.metadata.join("\n");
}

/**
 * @param {any} described
 * @returns {Variable[]}
 */
function variables(described) {
  if (!isObject(described)) throw new Error(strings.media.importing.notVariables);
  return Object.entries(described).map(([name, value]) => {
    if (!isObject(value)) throw new Error(strings.media.importing.notVariables);
    return newVariable(name, /** @type {Type} */ (choice(value, "type", types)), optionalText(value, "description"));
  });
}

let lastKey = 0;

/**
 * A variable with a key that no other row has.
 * @param {string} [name]
 * @param {Type} [type]
 * @param {string} [description]
 * @returns {Variable}
 */
export function newVariable(name = "", type = "string", description = "") {
  lastKey++;
  return { key: lastKey, name, type, description };
}

/**
 * The settings, and a function that sets some of them. They survive a reload of the page, and belong to the user.
 * @returns {[Settings, (some: Partial<Settings>) => void]}
 */
export function useSettings() {
  const key = `portside.media.settings.${currentUser().id}`;
  const [settings, setSettings] = useState(/** @returns {Settings} */ () => readSettings(key));
  /** @param {Partial<Settings>} some */
  const change = (some) => setSettings((before) => {
    const after = { ...before, ...some };
    saveToTab(key, after); // at once, so that a reload loses nothing
    return after;
  });
  return [settings, change];
}

/** @param {string} key */
function readSettings(key) {
  const kept = loadFromTab(key);
  const task = new URLSearchParams(location.search).get("task");
  return {
    ...initial,
    ...kept,
    ...(tasks.includes(/** @type {Task} */ (task)) ? { task: /** @type {Task} */ (task) } : {}),
    variables: (kept?.variables ?? []).map((/** @type {Variable} */ v) => newVariable(v.name, v.type, v.description)),
  };
}

/**
 * Reads a value from the storage of the tab. It returns null if there is none or the browser forbids it.
 * @param {string} key
 * @returns {any}
 */
export function loadFromTab(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/**
 * Saves a value in the storage of the tab, if the browser permits it and has room.
 * @param {string} key
 * @param {unknown} value
 */
export function saveToTab(key, value) {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The page works without it.
  }
}
