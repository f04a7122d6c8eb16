// The dialog that asks for a sign-in while a page is open. The page below keeps everything that the user typed.
import { useEffect } from "preact/hooks";
import { Dialog } from "../components/dialog.js";
import { SignInForms, useMethods } from "../components/sign-in.js";
import { html } from "./html.js";
import { currentUser, onSessionChange } from "./session.js";
import { strings } from "./strings.js";

/** @typedef {"signed-out" | "not-recent"} Reason */

const texts = strings.signInDialog;

/** @type {Promise<boolean> | null} */
let open = null;

/**
 * Opens the dialog, unless it is open. It resolves to true after the same user signs in, and to false if the user cancels.
 * @param {Reason} reason
 * @param {(view: any) => void} show renders the dialog, or nothing for null
 * @returns {Promise<boolean>}
 */
export function askForSignIn(reason, show) {
  open ??= ask(reason, show).finally(() => {
    open = null;
    show(null);
  });
  return open;
}

/**
 * @param {Reason} reason
 * @param {(view: any) => void} show
 * @returns {Promise<boolean>}
 */
async function ask(reason, show) {
  const { id, email } = currentUser();
  const isSignedIn = await new Promise((resolve) => {
    show(html`<${SignInDialog} reason=${reason} email=${email} onDone=${resolve} />`);
  });
  if (!isSignedIn || currentUser().id === id) return isSignedIn;
  location.assign("/portal"); // another user must not send what this one typed
  return false;
}

/** @param {{reason: Reason, email: string, onDone: (isSignedIn: boolean) => void}} props */
function SignInDialog({ reason, email, onDone }) {
  const methods = useMethods();
  useEffect(() => onSessionChange(() => onDone(true)), []); // here, or in another tab, such as with the link of the email
  const cancel = () => onDone(false);
  return html`<${Dialog} title=${texts[reason].title} onClose=${cancel}>
    <p>${texts[reason].text}</p>
    <${SignInForms} methods=${methods} email=${email} onCancel=${cancel} />
  <//>`;
}
