// The menu of a list's row: its actions are asked for when it is opened, and it stands beside its button, above everything else.
const load = async (menu) => {
  const answer = await fetch(menu.dataset.rowMenu, { headers: { "HX-Request": "true" } }).catch(() => null);
  const text = answer ? await answer.text() : document.body.dataset.textUnreachable;
  if (answer?.ok) menu.innerHTML = text;
  else menu.prepend(Object.assign(document.createElement("li"), { className: "resource-refused", textContent: answer ? `${answer.status} ${answer.statusText}` : text }));
  menu.removeAttribute("aria-busy");
};

function stand(menu) {
  const button = document.querySelector(`[popovertarget="${CSS.escape(menu.id)}"]`);
  if (!button) return;
  const [at, size] = [button.getBoundingClientRect(), menu.getBoundingClientRect()];
  const below = at.bottom + size.height < innerHeight || at.top < size.height;
  menu.style.top = `${Math.max(4, below ? Math.min(at.bottom, innerHeight - size.height - 4) : at.top - size.height)}px`;
  menu.style.left = `${Math.max(4, Math.min(at.right - size.width, innerWidth - size.width - 4))}px`;
}

document.addEventListener("toggle", async ({ target, newState }) => {
  if (!target.matches?.("[data-row-menu]") || newState !== "open") return;
  stand(target);
  await load(target);
  stand(target);
  target.querySelector("a, button")?.focus();
}, true);

// Up and down go through the entries, as in any menu.
document.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const menu = step && event.target.closest?.(".resource-menu");
  if (!menu) return;
  event.preventDefault();
  const links = [...menu.querySelectorAll("a")];
  links[(links.indexOf(event.target.closest("li")?.querySelector("a")) + step + links.length) % links.length]?.focus();
});
