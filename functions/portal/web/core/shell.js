// The frame around every page: the header, the menu and the place of the page.
import { Component } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Announcer } from "../components/announcer.js";
import { Button } from "../components/buttons.js";
import { Loading, Page, ProblemMessage } from "../components/page.js";
import { Problem } from "./api.js";
import { useAction } from "./hooks.js";
import { html } from "./html.js";
import { pages } from "./pages.js";
import { followLink, match, useAddress } from "./router.js";
import { can, isStaff, signOut, useSession } from "./session.js";
import { strings } from "./strings.js";

/** @typedef {import("./types").Page} PageEntry */

/** The portal. */
export function Shell() {
  const { path } = useAddress();
  const { session } = useSession();
  const found = match(pages, path);
  return html`<div class="shell" onClick=${followLink}>
    <a class="skip" href="#content">${strings.menu.skip}</a>
    <${Header} />
    <div class="columns">
      ${session ? html`<${Menu} path=${path} />` : null}
      <main class="page" id="content" tabindex="-1">
        ${found ? html`<${Content} key=${path} page=${found.page} params=${found.params} />` : html`<${NotFound} />`}
      </main>
    </div>
    <${Announcer} />
  </div>`;
}

function Header() {
  const { session } = useSession();
  const action = useAction(signOut);
  return html`<header class="top">
    <a class="brand" href="/portal"><img src=${icon()} alt="" width="28" height="28" /> ${strings.product}</a>
    ${session ? html`<span class="who">${session.user.name}</span>
      <${Button} kind="quiet" isRunning=${action.isRunning} onClick=${() => action.run()}>${strings.menu.signOut}<//>` : null}
  </header>`;
}

function icon() {
  return /** @type {HTMLLinkElement} */ (document.querySelector("link[rel=icon]")).href;
}

/** @param {{path: string}} props */
function Menu({ path }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  const visible = pages.filter((p) => p.menu && isIntended(p) && (!p.permission || can(p.permission)));
  const groups = /** @type {const} */ (["own", "software", "vendor"]).map((name) => ({
    name, title: strings.menu.groups[name], entries: visible.filter((p) => p.menu?.group === name),
  }));
  return html`<nav class=${isOpen ? "menu open" : "menu"} aria-label=${strings.menu.label}>
    <button type="button" class="button menu-toggle" aria-expanded=${isOpen ? "true" : "false"} onClick=${() => setOpen(!isOpen)}>
      ${strings.menu.open}</button>
    <div class="menu-entries">
      ${groups.filter((g) => g.entries.length > 0).map((g) => html`<p class="menu-title" id=${`menu-${g.name}`}>${g.title}</p>
        <ul aria-labelledby=${`menu-${g.name}`}>${g.entries.map((p) => html`<li><a href=${p.path}
          aria-current=${isCurrentSection(p, path) ? "page" : undefined}>${p.menu?.label}</a></li>`)}</ul>`)}
    </div>
  </nav>`;
}

/**
 * @param {PageEntry} page
 * @param {string} path
 */
function isCurrentSection(page, path) {
  return path === page.path || (page.path !== "/portal" && path.startsWith(page.path + "/"));
}

/**
 * Whether the page is for people such as the signed-in user.
 * @param {PageEntry} page
 */
function isIntended({ audience }) {
  return !audience || audience === (isStaff() ? "staff" : "customers");
}

/** @type {Map<PageEntry, any>} */
const components = new Map();

/** @param {{page: PageEntry, params: Record<string, string>}} props */
function Content({ page, params }) {
  const { session } = useSession();
  const [, render] = useState(0);
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    if (components.has(page)) return;
    page.load().then(
      (module) => {
        components.set(page, module.default);
        render((n) => n + 1);
      },
      () => setFailed(true), // offline, or the files of this version are gone after a new deployment
    );
  }, [page]);
  if (isFailed) return html`<${FailedPage} />`;
  const component = components.get(page);
  if (!component || (!session && !page.isPublic)) return html`<${Loading} />`;
  if (page.audience && !isIntended(page)) return html`<${NotPermitted} text=${strings.notPermitted.audiences[page.audience]} />`;
  if (page.permission && !can(page.permission)) return html`<${NotPermitted} text=${strings.notPermitted.text} />`;
  return html`<${Guard}><${component} params=${params} /><//>`;
}

function NotFound() {
  return html`<${Page} title=${strings.notFound.title}><p>${strings.notFound.text}</p><//>`;
}

/** @param {{text: string}} props */
function NotPermitted({ text }) {
  return html`<${Page} title=${strings.notPermitted.title}><p>${text}</p><//>`;
}

/** The message for a page whose modules could not be loaded. A reload loads them again, as soon as the server can be reached. */
function FailedPage() {
  const [isOutdated, setOutdated] = useState(false);
  const retry = useAction(async () => {
    await loadShell();
    location.reload();
  });
  useEffect(() => {
    loadShell().then((shell) => setOutdated(!shell.includes(new URL(import.meta.url).pathname)), () => {}); // offline
  }, []);
  return html`<${Page} title=${strings.failedPage.title}>
    <p>${isOutdated ? strings.failedPage.outdated : strings.failedPage.offline}</p>
    <${ProblemMessage} problem=${retry.problem} />
    <${Button} kind="primary" isRunning=${retry.isRunning} onClick=${() => retry.run()}>
      ${isOutdated ? strings.failedPage.reload : strings.common.retry}<//>
  <//>`;
}

/** Loads the document of the installed version, which names the address of this module unless another version is installed. */
async function loadShell() {
  const response = await fetch("/portal", { cache: "no-store" }).catch(() => null);
  if (!response?.ok) throw new Problem({ status: response?.status ?? 0, detail: strings.problems.offline });
  return response.text();
}

/** Guard shows a message instead of an empty window if a page fails. */
class Guard extends Component {
  state = { /** @type {unknown} */ error: null };

  /** @param {unknown} error */
  static getDerivedStateFromError(error) {
    return { error };
  }

  /** @param {unknown} error */
  componentDidCatch(error) {
    console.error(error);
  }

  render() {
    if (!this.state.error) return this.props.children;
    const problem = new Problem({ status: 0, code: "DEFECT", detail: strings.failedPage.failed });
    return html`<${ProblemMessage} problem=${problem} onRetry=${() => location.reload()} />`;
  }
}
