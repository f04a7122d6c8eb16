// What the pages behind mailed links have in common: each spends the one-time token of its link when somebody presses the
// button, and not before: programs that open links in mails on their own would otherwise spend it.
"use strict";

const element = (id) => document.getElementById(id);

// The token leaves the address bar at once, so that it stays neither in the history nor on a shared screen.
const token = location.hash.slice(1);
history.replaceState(null, "", location.pathname);

function show(view) {
  for (const section of document.querySelectorAll("[data-view]")) {
    section.hidden = section.dataset.view !== view;
  }
  document.querySelector(`[data-view="${view}"] h1`).focus();
}

function refuse(detail, { requestId = "", mayRetry = false } = {}) {
  element("detail").textContent = detail;
  element("reference").textContent = requestId && `When you ask for help, quote the request ${requestId}.`;
  element("again").hidden = !mayRetry;
  show("refused");
}

// spend sends the token, and hands the answer's data to the page.
async function spend(button, { address, title, welcome }) {
  button.disabled = true;
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token }),
      cache: "no-store",
      credentials: "omit",
    });
    const answer = await response.json().catch(() => ({}));
    if (response.ok) {
      welcome(answer.data);
      document.title = `${title} · Portside`;
      addEventListener("beforeunload", (event) => event.preventDefault()); // what is shown is gone with the page
      show("done");
    } else {
      const trouble = "The server could not answer. Your link is not lost; try again in a moment.";
      refuse(answer.detail ?? trouble, { requestId: answer.requestId, mayRetry: response.status === 429 || response.status >= 500 });
    }
  } catch {
    refuse("The server could not be reached. Check your connection and try again.", { mayRetry: true });
  } finally {
    button.disabled = false;
  }
}

async function copy(event) {
  const source = element(event.currentTarget.dataset.copy);
  const text = source.value ?? source.textContent;
  try {
    await navigator.clipboard.writeText(text);
    element("copied").textContent = "Copied.";
  } catch { // a page without TLS has no clipboard
    getSelection().selectAllChildren(source);
    source.select?.();
    element("copied").textContent = "Marked; copy it with Ctrl+C.";
  }
}

// start brings a page to life. It says where its token goes, what its title is afterwards, and how to show what came back.
function start(page) {
  for (const button of [element("go"), element("again")]) {
    button.addEventListener("click", () => spend(button, page));
  }
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", copy);
  }
  // A link that is pasted over the open page changes only what is behind the #.
  addEventListener("hashchange", () => location.reload());
  show(token ? "ready" : "missing");
}
