// The dialog in which an approver approves or denies a request.
import { announce } from "../../components/announcer.js";
import { Dialog } from "../../components/dialog.js";
import { Form, TextArea, useFields } from "../../components/fields.js";
import { get, post } from "../../core/api.js";
import { formatRelative } from "../../core/format.js";
import { useAction } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";

/** @typedef {import("../../core/credentials.js").CredentialRequest} CredentialRequest */

const texts = strings.approvals;

/** @param {CredentialRequest} request */
export function requesterName(request) {
  return request.requester?.name ?? strings.requests.unknownUser;
}

/**
 * @param {{request: CredentialRequest, decision: "approve" | "deny", onClose: () => void, onDone: (note?: string) => void}} props
 *   onDone: after a decision, with a note if someone else made it
 */
export function DecideDialog({ request, decision, onClose, onDone }) {
  const [values, set] = useFields({ reason: "" });
  const isApproval = decision === "approve";
  const action = useAction(() => decide(request, decision, values.reason, onDone));
  return html`<${Dialog} title=${isApproval ? texts.approveTitle : texts.denyTitle} onClose=${onClose}>
    <dl class="facts">
      <dt>${strings.requests.requester}</dt><dd><bdi>${requesterName(request)}</bdi>
        ${request.requester ? html` (<bdi>${request.requester.email}</bdi>)` : null}</dd>
      <dt>${texts.access}</dt><dd>${strings.requests.levels[request.accessLevel]}</dd>
      <dt>${strings.requests.justification}</dt><dd><span class="prose" dir="auto">${request.justification}</span></dd>
    </dl>
    <p>${isApproval ? texts.approveText : texts.denyText}</p>
    <${Form} submit=${isApproval ? texts.approveConfirm : texts.denyConfirm} kind=${isApproval ? "primary" : "danger"}
      problem=${action.problem} isRunning=${action.isRunning} onSubmit=${() => action.run()} onCancel=${onClose}>
      <${TextArea} label=${texts.reason} name="reason" rows=${3} maxLength=${1000} hint=${texts.reasonHint} value=${values.reason}
        onChange=${set("reason")} problem=${action.problem} />
    <//>
  <//>`;
}

/**
 * @param {CredentialRequest} request
 * @param {"approve" | "deny"} decision
 * @param {string} reason
 * @param {(note?: string) => void} onDone
 */
async function decide(request, decision, reason, onDone) {
  const path = { requestId: request.id };
  const body = reason.trim() ? { reason } : {};
  try {
    if (decision === "approve") await post("/api/v1/credential-requests/{requestId}/approve", { path, body });
    else await post("/api/v1/credential-requests/{requestId}/deny", { path, body });
  } catch (error) {
    const note = /** @type {any} */ (error).status === 409 ? await decidedMeanwhile(path) : "";
    if (!note) throw error;
    onDone(note);
    return;
  }
  announce(decision === "approve" ? texts.approved(requesterName(request)) : texts.denied(requesterName(request)));
  onDone();
}

/**
 * Explains the decision of someone else, or returns "" if the request is still pending.
 * @param {{requestId: string}} path
 */
async function decidedMeanwhile(path) {
  const { data: now } = await get("/api/v1/credential-requests/{requestId}", { path });
  if (now.status === "pending") return "";
  const state = strings.requests.states[now.status].toLowerCase();
  return texts.meanwhile(requesterName(now), state, now.decider?.name ?? texts.someoneElse, formatRelative(now.decidedAt));
}
