// One less, one more, in a field for a number on an object's page.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-step]");
  const field = button?.parentElement.querySelector("input");
  if (!field) return;
  field.value = String(Math.max(0, (Number.parseInt(field.value, 10) || 0) + Number(button.dataset.step)));
});
