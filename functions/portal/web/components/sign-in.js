// The ways to sign in, on the sign-in page and in the dialog that asks for another sign-in.
import { useEffect, useState } from "preact/hooks";
import { get } from "../core/api.js";
import { useAction, useLoad } from "../core/hooks.js";
import { html } from "../core/html.js";
import { hasPasskeys, signInWithPasskey } from "../core/passkeys.js";
import { beginSession } from "../core/session.js";
import { askForMail, signInByMail } from "../core/sign-in.js";
import { strings } from "../core/strings.js";
import { Button } from "./buttons.js";
import { Form, TextField } from "./fields.js";
import { ProblemMessage } from "./page.js";

const texts = strings.signIn;

/** The ways to sign in that this installation offers. */
export function useMethods() {
  return useLoad((signal) => get("/v1/sign-in/methods", { isPublic: true, signal }), []).data?.data;
}

/**
 * Signs in by email, and by passkey if the installation and the browser have them.
 * @param {{methods: ReturnType<typeof useMethods>, email?: string, onCancel?: () => void}} props email: the address of a user who
 *   signs in again
 */
export function SignInForms({ methods, email, onCancel }) {
  const [asked, setAsked] = useState("");
  if (asked) return html`<${CodeForm} email=${asked} onBack=${() => setAsked("")} />`;
  return html`
    ${methods?.passkey && hasPasskeys() ? html`<${PasskeyButton} />` : null}
    <${MailForm} email=${email} onAsked=${setAsked} onCancel=${onCancel} />`;
}

function PasskeyButton() {
  const action = useAction(async () => {
    const session = await signInWithPasskey();
    if (session) beginSession(session);
  });
  return html`<div class="sign-in-way">
    <${ProblemMessage} problem=${action.problem} />
    <${Button} kind="primary" isRunning=${action.isRunning} onClick=${() => action.run()}>${texts.usePasskey}<//>
    <p class="hint">${texts.or}</p>
  </div>`;
}

/** @param {{email?: string, onAsked: (email: string) => void, onCancel?: () => void}} props */
function MailForm({ email: known, onAsked, onCancel }) {
  const [typed, setTyped] = useState("");
  const email = known ?? typed;
  const action = useAction(async () => {
    await askForMail(email);
    onAsked(email);
  });
  return html`<${Form} submit=${texts.sendMail} problem=${action.problem} isRunning=${action.isRunning}
    onSubmit=${() => action.run()} onCancel=${onCancel}>
    ${known ? html`<p>${texts.mailTo(known)}</p>` : html`<${TextField} label=${texts.email} name="email" type="email"
      autocomplete="username webauthn" inputmode="email" value=${typed} onChange=${setTyped} problem=${action.problem} isRequired />`}
  <//>`;
}

/** @param {{email: string, onBack: () => void}} props */
function CodeForm({ email, onBack }) {
  const [code, setCode] = useState("");
  const action = useAction(() => signInByMail({ email, code }));
  useEffect(() => document.querySelector(/** @type {"input"} */ ("input[name=code]"))?.focus(), []);
  return html`<${Form} submit=${texts.submit} problem=${action.problem} isRunning=${action.isRunning} onSubmit=${() => action.run()}>
    <h2>${texts.checkMail}</h2>
    <p>${texts.mailSent(email)}</p>
    <${TextField} label=${texts.code} name="code" hint=${texts.codeHint} autocomplete="one-time-code" inputmode="numeric"
      maxLength=${20} value=${code} onChange=${setCode} problem=${action.problem} isRequired />
    <p><${Button} kind="quiet" onClick=${onBack}>${texts.askAgain}<//></p>
  <//>`;
}
