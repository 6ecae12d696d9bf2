// Pause for the stream of events: it stands still until it is let go, and then shows everything at once.
const button = document.querySelector("[data-events-pause]");
const stream = () => document.getElementById("event-stream");

if (button) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const paused = stream().parentElement.toggleAttribute("data-live-paused");
    button.textContent = paused ? button.dataset.textResume : button.dataset.textPause;
    if (!paused) stream().dispatchEvent(new CustomEvent("live:resume", { bubbles: true }));
  });
}
