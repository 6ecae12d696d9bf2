// The overview: what the cards say is not well, worst first, in one list above them; and a quiet clock for what no stream tells.
const EVERY = 60000; // a card that nothing has renewed for so long is asked again, while somebody looks
const AGAIN = 5000; // a card whose answer did not come
const RANK = { error: 0, warning: 1 };
const verdict = document.getElementById("overview-verdict");
const cards = () => [...document.querySelectorAll("[data-card]")];
const icon = (name) => verdict.querySelector(`template[data-icon="${name}"]`).content.cloneNode(true);

function sum() {
  const judged = cards().filter((card) => "judged" in card.dataset);
  const all = judged.flatMap((card) => [...card.querySelectorAll("[data-troubles] > li")]);
  const troubles = all.filter((row) => !("snoozed" in row.dataset));
  const snoozed = all.filter((row) => "snoozed" in row.dataset);
  troubles.sort((one, other) => RANK[one.dataset.level] - RANK[other.dataset.level]);
  const list = verdict.querySelector("[data-troubles-all]");
  const shown = troubles.map((one) => one.outerHTML).join("");
  // A link that has the focus stays where it is while nothing is new.
  if (list.dataset.shown !== shown) {
    const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : "";
    list.replaceChildren(...troubles.map((one) => one.cloneNode(true)));
    list.dataset.shown = shown;
    if (focused) (list.querySelector(`a[href="${CSS.escape(focused)}"]`) ?? list).focus({ preventScroll: true });
  }
  verdict.querySelector("[data-snoozed-box]").hidden = !snoozed.length;
  verdict.querySelector("[data-snoozed-all]").replaceChildren(...snoozed.map((row) => row.cloneNode(true)));
  for (const card of judged) {
    const area = verdict.querySelector(`[data-area="${card.dataset.card}"] .overview-mark`);
    const mark = card.querySelector(".overview-mark");
    if (area && mark && area.outerHTML !== mark.outerHTML) area.replaceWith(mark.cloneNode(true));
  }
  const coming = judged.some((card) => "coming" in card.dataset || "pending" in card.dataset);
  const unknown = judged.some((card) => !card.dataset.level);
  const worst = troubles[0]?.dataset.level ?? (coming ? "progress" : unknown || snoozed.length ? "info" : "success");
  const { textLater, textMany, textOne, textUnknown, textPartly, textWell } = verdict.dataset;
  const words = troubles.length === 1 ? textOne : troubles.length ? textMany.replace("{number}", troubles.length) : coming ? textUnknown : snoozed.length ? textLater : unknown ? textPartly : textWell;
  verdict.querySelector(".overview-calm").hidden = worst !== "success";
  list.hidden = !troubles.length;
  const heading = verdict.querySelector("[data-sum]");
  if (heading.textContent !== words) heading.textContent = words;
  if (verdict.dataset.worst !== worst) {
    verdict.dataset.worst = worst;
    const mark = verdict.querySelector("[data-sum-icon]");
    mark.dataset.mark = worst;
    mark.replaceChildren(icon(worst));
  }
}

// Causes come after the cards: what a row shows until then is the object's own reason.
const AT_ONCE = 8; // as the server takes them
const TRIES = 5; // of one that is late
const tries = new Map(); // cause → how often it was asked for
let asking = false;
const unknown = () => [...document.querySelectorAll("[data-card] [data-cause]")];

function explain(row, cause) {
  row.removeAttribute("data-cause");
  if (!cause) return;
  const words = row.querySelector("[data-explanation]");
  [words.textContent, words.title] = [cause.sentence, cause.sentence];
  const fix = row.querySelector("[data-fix]");
  if (!fix || !cause.fix) return;
  fix.href = cause.url;
  fix.querySelector(".pf-v6-c-button__text").textContent = cause.fix;
  fix.hidden = false;
  row.querySelector("[data-act]")?.remove();
}

async function causes() {
  if (asking || document.hidden) return;
  const ids = [...new Set(unknown().map((row) => row.dataset.cause))];
  const wanted = ids.filter((id) => (tries.get(id) ?? 0) < TRIES).slice(0, AT_ONCE);
  if (!wanted.length) return;
  asking = true;
  for (const id of wanted) tries.set(id, (tries.get(id) ?? 0) + 1);
  const address = `${verdict.dataset.causes}${wanted.map((id) => `&of=${encodeURIComponent(id)}`).join("")}`;
  const headers = { "X-Console-Who": document.body.dataset.who ?? "" };
  const answer = await fetch(address, { headers, cache: "no-store" }).catch(() => null);
  const found = answer?.ok ? await answer.json().catch(() => ({})) : {};
  for (const row of unknown()) {
    if (!(row.dataset.cause in found)) continue;
    tries.delete(row.dataset.cause);
    explain(row, found[row.dataset.cause]);
  }
  asking = false;
  sum();
  setTimeout(causes, wanted.every((id) => id in found) ? 0 : 1000);
}

const told = new WeakMap(); // card → when it came
function heard() {
  for (const card of cards()) if (!("coming" in card.dataset) && !told.has(card)) told.set(card, Date.now());
  sum();
  causes();
}
document.addEventListener("htmx:afterSettle", heard);
document.addEventListener("live:laid", ({ target }) => { told.set(target, Date.now()); heard(); });

for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, ({ target }) => {
    const card = target.closest?.("[data-card]");
    if (!card) return;
    const waits = card.querySelector("[data-waits]");
    if (waits) waits.textContent = waits.dataset.textLost;
    setTimeout(() => card.isConnected && card.dispatchEvent(new CustomEvent("overview:again")), AGAIN);
  });
}

function tick() {
  if (document.hidden) return;
  for (const card of cards()) {
    if ("coming" in card.dataset || Date.now() - (told.get(card) ?? 0) < EVERY) continue;
    told.set(card, Date.now());
    card.dispatchEvent(new CustomEvent("live:resume", { bubbles: true }));
  }
}
function renew() {
  for (const card of cards()) told.delete(card);
  tick();
}
addEventListener("pageshow", ({ persisted }) => { if (persisted) renew(); });
setInterval(tick, EVERY / 4);
document.addEventListener("visibilitychange", () => { tick(); causes(); });
heard();
