// The banner of every page that says what is not well (#health-banner); it goes away by itself when the part is back.
const problems = new Map(); // part → sentence

function show() {
  const banner = document.getElementById("health-banner");
  if (!banner) return;
  const text = [...problems.values()].filter(Boolean).join(" ");
  banner.hidden = !text;
  const place = banner.querySelector("[data-health-text]");
  if (place.textContent !== text) place.textContent = text;
}

let heard = false; // until then the banner keeps what the server put there
export function health(data) {
  if (data) {
    heard = true;
    if (data.ready) problems.delete(data.part);
    else problems.set(data.part, data.message);
  }
  if (heard) show();
}

export function state({ connected, stopped }) {
  const banner = document.getElementById("health-banner");
  if (connected || stopped) problems.delete("stream");
  else problems.set("stream", banner?.dataset.textLost ?? "");
  if (heard || !connected) { heard = true; show(); }
}
