// Ticks in a list: all of a page at once, and how many they are. Without this the boxes and the button work by themselves.
const form = document.getElementById("bulk");
const boxes = () => [...document.querySelectorAll("input[form=bulk][name=chosen]")];

function count() {
  if (!form) return;
  const ticked = boxes().filter((box) => box.checked).length;
  const everything = document.querySelector("input[form=bulk][name=all]")?.checked;
  const words = form.querySelector("[data-ticked]");
  const text = everything ? words.dataset.all : ticked ? `${words.dataset.text} ${ticked}` : "";
  if (words.textContent !== text) words.textContent = text;
  form.querySelector("[data-needs-ticks]").disabled = !ticked && !everything;
  const all = document.querySelector("[data-tick-all]");
  if (!all) return;
  all.checked = ticked > 0 && ticked === boxes().length;
  all.indeterminate = ticked > 0 && !all.checked;
}

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-tick-all]")) for (const box of boxes()) box.checked = event.target.checked;
  if (event.target.matches("[data-tick-all], input[form=bulk]")) count();
});
// Rows come and go; what htmx brings, too.
new MutationObserver(count).observe(document.getElementById("main"), { childList: true, subtree: true });
addEventListener("pageshow", count);
count();
