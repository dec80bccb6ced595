// Says on the first page that articles came in, without moving what somebody reads.
//
// `data-new` is the number of articles that the page counted, and `data-address` the page that counts since the same time. When the
// console announces articles, that page is asked for, and only its number is used. A hidden page closes its stream, because browsers
// open few connections to a server; once it is shown again, it counts what came meanwhile.
"use strict";
(() => {
  const PAUSE_MS = 2000;
  const place = document.getElementById("live");
  if (!place || !window.EventSource) return;
  let stream, waiting;

  const count = async () => {
    waiting = undefined;
    try {
      const answer = await fetch(place.dataset.address);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const came = Number(page.getElementById("live")?.dataset.new) - Number(place.dataset.new);
      if (came > 0) show(came);
    } catch {
      // The console is away. The next event asks again.
    }
  };

  const show = (came) => {
    const link = document.createElement("a");
    link.href = location.pathname + location.search;
    link.textContent = `${came} new ${came === 1 ? "article" : "articles"} – show`;
    place.replaceChildren(link);
  };

  const countSoon = () => { waiting ??= setTimeout(count, PAUSE_MS); };

  const listen = () => {
    if (document.hidden) {
      stream?.close();
      stream = undefined;
    } else if (!stream) {
      stream = new EventSource("/api/v1/events");
      stream.addEventListener("new", countSoon);
    }
  };

  document.addEventListener("visibilitychange", () => {
    listen();
    if (!document.hidden) countSoon();
  });
  listen();
})();
