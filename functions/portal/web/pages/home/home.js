// The first page after the sign-in.
import { Page } from "../../components/page.js";
import { html } from "../../core/html.js";
import { currentUser } from "../../core/session.js";
import { strings } from "../../core/strings.js";

export default function Home() {
  return html`<${Page} title=${strings.home.title}><p>${currentUser().name}</p><//>`;
}
