// The dialog that asks for a sign-in while a page is open. The page below keeps everything that the user typed.
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { Dialog } from "../components/dialog.js";
import { SignInForms } from "../components/sign-in.js";
import { html } from "./html.js";
import { currentUser, loadSession, onSessionChange } from "./session.js";
import { onSignInElsewhere } from "./sign-in.js";
import { strings } from "./strings.js";

/** @typedef {"signed-out" | "not-recent"} Reason */

const texts = strings.signInDialog;

/** @type {Promise<boolean> | null} */
let open = null;

/**
 * Opens the dialog, unless it is open. It resolves to true after the same user signs in, and to false if the user cancels.
 * @param {Reason} reason
 * @returns {Promise<boolean>}
 */
export function askForSignIn(reason) {
  open ??= show(reason).finally(() => {
    open = null;
  });
  return open;
}

/**
 * @param {Reason} reason
 * @returns {Promise<boolean>}
 */
async function show(reason) {
  const place = document.body.appendChild(document.createElement("div"));
  const { id, email } = currentUser();
  try {
    const isSignedIn = await new Promise((resolve) => {
      render(html`<${SignInDialog} reason=${reason} email=${email} onDone=${resolve} />`, place);
    });
    if (!isSignedIn || currentUser().id === id) return isSignedIn;
    location.assign("/portal"); // another user must not send what this one typed
    return false;
  } finally {
    render(null, place);
    place.remove();
  }
}

/** @param {{reason: Reason, email: string, onDone: (isSignedIn: boolean) => void}} props */
function SignInDialog({ reason, email, onDone }) {
  useEffect(() => onSessionChange(() => onDone(true)), []);
  useEffect(() => onSignInElsewhere(() => void loadSession().catch(() => {})), []); // such as with the link of the mail
  const cancel = () => onDone(false);
  return html`<${Dialog} title=${texts[reason].title} onClose=${cancel}>
    <p>${texts[reason].text}</p>
    <${SignInForms} email=${email} onCancel=${cancel} />
  <//>`;
}
