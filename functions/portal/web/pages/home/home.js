// The first page after the sign-in: what the user may pull and how, and what needs attention.
import { useState } from "preact/hooks";
import { ButtonLink } from "../../components/buttons.js";
import { credentialColumns } from "../../components/credentials.js";
import { Select } from "../../components/fields.js";
import { Empty, Loaded, Page, Section } from "../../components/page.js";
import { CodeBlock } from "../../components/copy.js";
import { RequestTable } from "../../components/requests.js";
import { Commands } from "../../components/secret.js";
import { Table } from "../../components/table.js";
import { get } from "../../core/api.js";
import { passwordFile, saveCommand, tokenFile } from "../../core/commands.js";
import { describeScopes, isRenewed, isWorking, needsRenewal } from "../../core/credentials.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { can, currentUser } from "../../core/session.js";
import { strings } from "../../core/strings.js";

/** @typedef {import("../../core/credentials.js").Token} Token */
/** @typedef {import("../../core/credentials.js").CredentialRequest} CredentialRequest */

const texts = strings.home;
const listed = 5;

export default function Home() {
  const overview = useLoad(load, []);
  return html`<${Page} title=${texts.welcome(currentUser().name)}>
    <${Loaded} load=${overview}>${(/** @type {any} */ data) => html`<${Overview} ...${data} />`}<//>
  <//>`;
}

/** @param {AbortSignal} signal */
async function load(signal) {
  const [tokens, requests] = await Promise.all([
    get("/api/v1/tokens", { signal }),
    get("/api/v1/credential-requests", { query: { userId: currentUser().id, limit: listed }, signal }),
  ]);
  return { tokens: tokens.data, requests: requests.data };
}

/** @param {{tokens: Token[], requests: CredentialRequest[]}} props */
function Overview({ tokens, requests }) {
  const working = tokens.filter(isWorking);
  const expiring = working.filter((t) => needsRenewal(t, tokens)).length;
  return html`
    ${expiring > 0 ? html`<p class="note warning">${texts.expiring(expiring)} <a href="/portal/access">${texts.renew}</a></p>` : null}
    ${working.length > 0 ? html`<${PullCommands} working=${working} /><${Credentials} all=${tokens} working=${working} />`
      : html`<${Start} requests=${requests} />`}
    ${requests.length > 0 ? html`<${Section} title=${texts.requests} actions=${html`<a href="/portal/access">${texts.allRequests}</a>`}>
      <${RequestTable} requests=${requests} /><//>` : null}`;
}

/**
 * The next step of a user without a token or password.
 * @param {{requests: CredentialRequest[]}} props
 */
function Start({ requests }) {
  const has = (/** @type {string} */ status) => requests.some((request) => request.status === status);
  if (has("approved")) return html`<${Empty} title=${texts.start}><p>${texts.startCollect}</p><//>`;
  if (has("pending")) return html`<${Empty} title=${texts.start}><p>${texts.startPending}</p><//>`;
  const mayCreate = can("tokens:write");
  return html`<${Empty} title=${texts.start}>
    <p>${mayCreate ? texts.startToken : texts.startText}</p>
    <p class="actions">
      ${mayCreate ? html`<${ButtonLink} kind="primary" href="/portal/access?new=token">${strings.access.newToken}<//>` : null}
      <${ButtonLink} kind=${mayCreate ? undefined : "primary"} href="/portal/access?new=request">${strings.access.newRequest}<//>
    </p>
  <//>`;
}

/** @param {{working: Token[]}} props */
function PullCommands({ working }) {
  const [chosen, choose] = useState(working[0].id);
  const token = working.find((t) => t.id === chosen) ?? working[0];
  const file = token.kind === "password" ? passwordFile : tokenFile;
  const chart = useLoad(firstChart, []).data;
  const login = { username: token.username ?? "token", file, scopes: token.scopes, chart };
  const options = working.map((t) => ({ value: t.id, label: labelOf(t) }));
  return html`<${Section} title=${texts.mayPull}>
    <ul class="scopes">${describeScopes(working.flatMap((t) => t.scopes)).map((line) => html`<li><bdi>${line}</bdi></li>`)}</ul>
    ${working.length > 1 ? html`<${Select} label=${texts.commandsFor} hidesOptional value=${token.id}
      options=${options} onChange=${choose} />` : null}
    <p class="hint">${texts.save(strings.credentials.kinds[token.kind])}</p>
    <${CodeBlock} label=${strings.secret.saveCommand} text=${saveCommand(login)} />
    <p class="hint">${texts.placeholders}</p>
    <${Commands} key=${token.id} login=${login} />
  <//>`;
}

/** @param {Token} token */
function labelOf({ kind, name, username }) {
  return `${strings.credentials.kinds[kind]}: ${name}${username ? ` (${username})` : ""}`;
}

/**
 * A chart that the user may pull, as the example in the commands, if there is one.
 * @param {AbortSignal} signal
 */
async function firstChart(signal) {
  return (await get("/v1/charts", { query: { limit: 1 }, signal })).data[0];
}

/** @param {{all: Token[], working: Token[]}} props */
function Credentials({ all, working }) {
  const expiring = working.filter((t) => needsRenewal(t, all));
  const others = working.filter((t) => !expiring.includes(t) && !isRenewed(t, all));
  const rows = [...expiring, ...others].slice(0, Math.max(listed, expiring.length));
  return html`<${Section} title=${texts.credentials} actions=${html`<a href="/portal/access">${texts.allCredentials}</a>`}>
    <${Table} caption=${texts.credentials} columns=${credentialColumns(all)} rows=${rows} rowKey=${(/** @type {Token} */ t) => t.id} />
  <//>`;
}
