// Asks for the progress again and again, and says when there are new measurements. Without it the
// page is whole, and shows what was there when it was asked for.
"use strict";

const progress = document.getElementById("progress");
const news = document.getElementById("news");
const shown = progress.dataset.version;

async function refresh() {
  if (document.hidden || progress.contains(document.activeElement)) {
    return;
  }
  try {
    const answer = await fetch("progress", { cache: "no-store" });
    if (!answer.ok) {
      return;
    }
    const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = parsed.getElementById("progress");
    if (fresh) {
      const open = [...progress.querySelectorAll("details[open] > summary")].map((s) => s.textContent);
      for (const details of fresh.querySelectorAll("details")) {
        details.open = open.includes(details.querySelector("summary").textContent);
      }
      progress.replaceChildren(...fresh.childNodes);
      news.hidden = fresh.dataset.version === shown;
    }
  } catch {
    // the server has ended: what is shown stays
  }
}

setInterval(refresh, 1000 * Number(progress.dataset.refresh));
