// The start of the portal: finds out who is signed in, and shows the page that the address names.
import "./link.js"; // first, because it removes the token from the address
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { signIn } from "./api.js";
import { asProblem } from "./hooks.js";
import { ProblemMessage } from "../components/page.js";
import { html } from "./html.js";
import { pages } from "./pages.js";
import { match, navigate, useAddress } from "./router.js";
import { followOtherTabs, loadSession, useSession } from "./session.js";
import { Shell } from "./shell.js";

const root = /** @type {HTMLElement} */ (document.getElementById("app"));

/** Sends people without a session to the sign-in page, which returns them to the page that they wanted. */
function Portal() {
  const { session, isLoaded } = useSession();
  const { path } = useAddress();
  const page = match(pages, path)?.page;
  const mustSignIn = isLoaded && !session && page && !page.isPublic;
  useEffect(() => { // a change of the address during the rendering would not render the shell again
    const wanted = location.pathname + location.search;
    if (mustSignIn) navigate(`/portal/sign-in?return=${encodeURIComponent(wanted)}`, { replace: true });
  }, [mustSignIn, path]);
  return html`<${Shell} /><${SignInDialogHost} />`;
}

/** Renders the dialog that asks for another sign-in. Its code loads when it is needed. */
function SignInDialogHost() {
  const [dialog, setDialog] = useState(null);
  useEffect(() => {
    signIn.ask = async (reason) => (await import("./sign-in-dialog.js")).askForSignIn(reason, setDialog);
  }, []);
  return dialog;
}

/** @param {any} view */
function show(view) {
  root.replaceChildren(); // removes the content of the shell
  render(view, root);
}

async function start() {
  match(pages, location.pathname)?.page.load().catch(() => undefined); // beside the session; the shell reports a failure
  try {
    await loadSession();
  } catch (error) {
    show(html`<main class="page"><${ProblemMessage} problem=${asProblem(error)} onRetry=${() => location.reload()} /></main>`);
    return;
  }
  followOtherTabs();
  show(html`<${Portal} />`);
}

void start();
