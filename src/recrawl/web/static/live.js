// Live pages: when the store has something new, the page asks for itself again and swaps the parts marked data-live.
"use strict";

(() => {
  const parts = () => document.querySelectorAll("[data-live]");
  const state = document.getElementById("live-state");
  if (!parts().length || !state || !("EventSource" in window)) return;

  const LEAST_MS = 2000;
  let paused = false, busy = false, wanted = false, last = 0;

  const button = document.createElement("button");
  const text = document.createElement("span");
  button.type = "button";
  button.setAttribute("aria-pressed", "false");
  button.textContent = "Pause updates";
  text.textContent = "live";
  state.append(text, " ", button);
  button.addEventListener("click", () => {
    paused = !paused;
    button.setAttribute("aria-pressed", String(paused));
    text.textContent = paused ? "paused" : "live";
    if (!paused && wanted) refresh();
  });

  const swap = (fresh) => {
    for (const part of parts()) {
      const other = fresh.querySelector(`[data-live="${CSS.escape(part.dataset.live)}"]`);
      // What somebody is reading with the keyboard stays until they leave it.
      if (other && !part.contains(document.activeElement)) part.replaceWith(document.adoptNode(other));
    }
  };

  const refresh = async () => {
    wanted = true;
    if (paused || busy || document.hidden) return;
    busy = true;
    await new Promise((done) => setTimeout(done, Math.max(0, last + LEAST_MS - Date.now())));
    wanted = false;
    try {
      const answer = await fetch(location.href, { headers: { accept: "text/html" } });
      if (answer.ok) swap(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch {
      text.textContent = "not reachable";
    }
    last = Date.now();
    busy = false;
    if (wanted) refresh();
  };

  const source = new EventSource("/live");
  source.addEventListener("change", refresh);
  source.addEventListener("start", () => { text.textContent = paused ? "paused" : "live"; });
  source.addEventListener("error", () => { text.textContent = "waiting for the server"; });
  document.addEventListener("visibilitychange", () => { if (wanted) refresh(); });
  window.addEventListener("pagehide", () => source.close());
})();
