// How many objects each kind has: asked for the groups that are in view, when they come into it and every some seconds while somebody looks.
const EVERY = 15_000;
const seen = new Map(); // section -> when it was asked last

function ask(section) {
  if (document.hidden || Date.now() - (seen.get(section) ?? 0) < EVERY - 500) return;
  seen.set(section, Date.now());
  section.dispatchEvent(new CustomEvent("console:count"));
}

const inView = new Set();
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) {
      inView.add(target);
      ask(target);
    } else inView.delete(target);
  }
});

function watch() {
  for (const section of document.querySelectorAll("[data-counted]")) observer.observe(section);
  for (const section of inView) {
    if (section.isConnected) continue;
    observer.unobserve(section);
    inView.delete(section);
    seen.delete(section);
  }
}

// Filters and news bring other groups. Before the page is complete htmx does not know them, and could not hear them ask.
function begin() {
  document.addEventListener("htmx:afterSettle", watch);
  new MutationObserver(() => setTimeout(watch)).observe(document.getElementById("main"), { childList: true, subtree: true });
  watch();
}
document.addEventListener("visibilitychange", () => inView.forEach(ask));
setInterval(() => inView.forEach(ask), EVERY);
if (document.readyState === "complete") begin();
else addEventListener("load", begin);
