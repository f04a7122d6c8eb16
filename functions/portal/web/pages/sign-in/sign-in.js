// The sign-in page. A mailed link opens it with a token, which only a click spends: mail scanners open links, too.
import { useEffect, useState } from "preact/hooks";
import { Button } from "../../components/buttons.js";
import { Loading, Page, ProblemMessage } from "../../components/page.js";
import { SignInForms, useMethods } from "../../components/sign-in.js";
import { useAction } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { hasAutofill, signInWithPasskey } from "../../core/passkeys.js";
import { forgetLinkToken, linkToken } from "../../core/link.js";
import { navigate, useAddress } from "../../core/router.js";
import { beginSession, useSession } from "../../core/session.js";
import { signInByMail } from "../../core/sign-in.js";
import { strings } from "../../core/strings.js";

const texts = strings.signIn;

export default function SignIn() {
  const { session } = useSession();
  const { query } = useAddress();
  const [token, setToken] = useState(linkToken());
  const target = returnPath(query.get("return"));
  useEffect(() => {
    if (session && !token) navigate(target, { replace: true });
  }, [session, token]);
  const forget = () => {
    forgetLinkToken();
    setToken("");
  };
  if (session && !token) return html`<${Loading} />`; // until the other page appears
  return html`<div class="narrow">${token ? html`<${LinkPage} token=${token} onSpent=${forget} />`
    : html`<${FormPage} target=${target} problem=${query.get("problem")} />`}</div>`;
}

/** @param {{token: string, onSpent: () => void}} props */
function LinkPage({ token, onSpent }) {
  const action = useAction(async () => {
    await signInByMail({ token });
    onSpent();
  });
  return html`<${Page} title=${texts.title} intro=${texts.linkIntro}>
    <${ProblemMessage} problem=${action.problem} />
    <div class="actions">
      ${action.problem && !action.problem.isTemporary
        ? html`<${Button} kind="primary" onClick=${onSpent}>${texts.otherWay}<//>`
        : html`<${Button} kind="primary" isRunning=${action.isRunning} onClick=${() => action.run()}>${texts.submit}<//>`}
    </div>
  <//>`;
}

/** @param {{target: string, problem: string | null}} props */
function FormPage({ target, problem }) {
  const methods = useMethods();
  const fieldProblem = usePasskeysInField(methods?.passkey ?? false);
  const known = problem ? /** @type {Record<string, string>} */ (strings.signInProblems)[problem] ?? strings.signInProblems.unknown : "";
  return html`<${Page} title=${texts.title} intro=${texts.intro}>
    ${known ? html`<div class="problem" role="alert"><p>${known}</p></div>` : null}
    <${ProblemMessage} problem=${fieldProblem} />
    ${methods?.openId ? html`<p><a class="button" href=${`/v1/sign-in/openid?return=${encodeURIComponent(target)}`}>
      ${texts.useOpenId(methods.openId.name)}</a></p>` : null}
    <${SignInForms} methods=${methods} />
  <//>`;
}

/**
 * Offers passkeys in the field of the mail address while the page is open.
 * @param {boolean} isOffered
 */
function usePasskeysInField(isOffered) {
  const action = useAction(async (/** @type {AbortSignal} */ signal) => {
    const session = (await hasAutofill()) && (await signInWithPasskey({ isConditional: true, signal }));
    if (session) beginSession(session);
  });
  useEffect(() => {
    if (!isOffered) return undefined;
    const abort = new AbortController();
    void action.run(abort.signal);
    return () => abort.abort();
  }, [isOffered]);
  return action.problem;
}

/**
 * The page to open after the sign-in. Only pages of the portal are possible.
 * @param {string | null} wanted
 */
function returnPath(wanted) {
  const url = wanted && URL.canParse(wanted, location.origin) ? new URL(wanted, location.origin) : null;
  const isOwn = url?.origin === location.origin && /^\/portal(\/|$)/.test(url.pathname) && url.pathname !== "/portal/sign-in";
  return url && isOwn ? url.pathname + url.search : "/portal";
}
