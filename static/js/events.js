// Pause for the stream of events: it stands still until it is let go, and then shows everything at once.
const button = document.querySelector("[data-events-pause]");
const stream = () => document.getElementById("event-stream");

if (button) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    stream().parentElement.toggleAttribute("data-live-paused", on);
    if (!on) stream().dispatchEvent(new CustomEvent("live:resume", { bubbles: true }));
  });
}
