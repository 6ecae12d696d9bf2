// What scrolls is the main part of the page and not the window (of a list's page its rows: data-scrolls), and browsers put
// back only the window: so how far it was scrolled is kept with each entry of the history
// (docs/decisions/0027-pages-are-loaded.md), and with nothing else, so that nobody's addresses are left behind.
const main = document.querySelector("#main [data-scrolls]") ?? document.getElementById("main");
const REST = 150; // milliseconds between two notes, for browsers bound how many there may be

let waiting = 0;
function keep() {
  clearTimeout(waiting);
  waiting = 0;
  if ((history.state?.top ?? 0) !== main.scrollTop) history.replaceState({ ...history.state, top: main.scrollTop }, "");
}

if (main) {
  const wanted = history.state?.top ?? 0;
  // Once more when all is there: what comes late may make the page long enough.
  const back = () => { if (main.scrollTop < wanted) main.scrollTop = wanted; };
  back();
  addEventListener("load", back, { once: true });
  main.addEventListener("scroll", () => { waiting ||= setTimeout(keep, REST); }, { passive: true });
  addEventListener("pagehide", keep);
}
