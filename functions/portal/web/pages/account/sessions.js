// The sessions of the user.
import { useState } from "preact/hooks";
import { announce } from "../../components/announcer.js";
import { Button } from "../../components/buttons.js";
import { ConfirmDialog } from "../../components/dialog.js";
import { Loaded, Section } from "../../components/page.js";
import { Badge, Table } from "../../components/table.js";
import { get, remove } from "../../core/api.js";
import { formatDate, formatDateTime, formatRelative } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { endSession } from "../../core/session.js";
import { strings } from "../../core/strings.js";

const texts = strings.sessions;

/** @typedef {import("../../core/types").Schema<"OwnSession">} Session */

export function Sessions() {
  const load = useLoad((signal) => get("/v1/sessions", { signal }), []);
  const [dialog, setDialog] = useState(/** @type {"all" | Session | null} */ (null));
  const close = () => {
    setDialog(null);
    load.reload();
  };
  const actions = html`<${Button} onClick=${() => setDialog("all")}>${texts.endAll}<//>`;
  return html`<${Section} title=${texts.title} actions=${actions}>
    <p class="muted">${texts.intro}</p>
    <${Loaded} load=${load}>${(/** @type {{data: Session[]}} */ { data }) => html`<${SessionTable} sessions=${data} onEnd=${setDialog} />`}<//>
    ${dialog === "all" ? html`<${EndAllDialog} onClose=${() => setDialog(null)} />`
      : dialog ? html`<${EndDialog} session=${dialog} onClose=${close} />` : null}
  <//>`;
}

/** @param {{sessions: Session[], onEnd: (session: Session) => void}} props */
function SessionTable({ sessions, onEnd }) {
  const columns = [
    { title: texts.device, cell: (/** @type {Session} */ s) =>
      html`${s.device} ${s.isCurrent ? html`<${Badge} tone="good">${texts.current}<//>` : null}` },
    { title: texts.created, cell: (/** @type {Session} */ s) => formatDateTime(s.createdAt) },
    { title: texts.lastUsed, cell: (/** @type {Session} */ s) => formatRelative(s.lastUsedAt) },
    { title: texts.expires, cell: (/** @type {Session} */ s) => formatDate(s.expiresAt) },
    { title: texts.end, isActions: true, cell: (/** @type {Session} */ s) =>
      html`<${Button} label=${texts.endLabel(s.device)} onClick=${() => onEnd(s)}>${texts.end}<//>` },
  ];
  return html`<${Table} caption=${texts.title} columns=${columns} rows=${sessions} rowKey=${(/** @type {Session} */ s) => s.id} />`;
}

/** @param {{session: Session, onClose: () => void}} props */
function EndDialog({ session, onClose }) {
  const act = async () => {
    await remove("/v1/sessions/{sessionId}", { path: { sessionId: session.id } });
    announce(texts.wasEnded);
    if (session.isCurrent) endSession();
  };
  return html`<${ConfirmDialog} title=${texts.endTitle} confirm=${texts.endConfirm} act=${act} onClose=${onClose}>
    <p>${session.isCurrent ? texts.endCurrentText : texts.endText(session.device)}</p>
  <//>`;
}

/** @param {{onClose: () => void}} props */
function EndAllDialog({ onClose }) {
  const act = async () => {
    await remove("/v1/sessions");
    endSession();
  };
  return html`<${ConfirmDialog} title=${texts.endAllTitle} confirm=${texts.endAll} act=${act} onClose=${onClose}>
    <p>${texts.endAllText}</p>
  <//>`;
}
