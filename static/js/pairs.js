// Rows of keys and values: one more, one less. Without script an emptied row is removed, and "Add" is a round through the server.
document.addEventListener("click", (event) => {
  const part = event.target.closest("[data-pairs]");
  if (!part) return;
  const rows = part.querySelectorAll("[data-pair]");
  if (event.target.closest("[data-pair-add]")) {
    event.preventDefault();
    const fresh = rows[rows.length - 1].cloneNode(true);
    fresh.querySelector(".pair-error")?.remove();
    for (const field of fresh.querySelectorAll("input, textarea")) { field.value = ""; field.removeAttribute("aria-invalid"); }
    for (const field of fresh.querySelectorAll("select")) field.selectedIndex = 0;
    rows[rows.length - 1].after(fresh);
    fresh.querySelector("input:not([type=hidden]), select").focus();
  } else if (event.target.closest("[data-pair-remove]")) {
    const row = event.target.closest("[data-pair]");
    for (const field of row.querySelectorAll("input, textarea")) field.value = "";
    if (rows.length > 1) row.remove();
  }
});
