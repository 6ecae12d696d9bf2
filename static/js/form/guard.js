// Typed text is not lost: a question before the page is left, answers shown whatever their status is.
import { busy, dirty, form } from "./parts.js";

document.addEventListener("input", (event) => {
  if (event.target.closest("#form") && !event.target.matches("[data-filter]")) dirty();
});
// Every answer to a sent form is the form again, or a redirect: it is shown whatever its status is.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target?.id === "form" && event.detail.xhr.responseText.includes('id="form"')) Object.assign(event.detail, { shouldSwap: true, isError: false });
});
document.addEventListener("htmx:afterSettle", () => document.getElementById("form-errors")?.focus());
document.addEventListener("htmx:beforeRequest", (event) => { if (event.target.id === "form" && busy()) event.preventDefault(); });
document.addEventListener("htmx:beforeOnLoad", (event) => { if (event.detail.xhr.getResponseHeader("HX-Redirect")) delete form()?.dataset.dirty; });
window.addEventListener("beforeunload", (event) => { if (form() && "dirty" in form().dataset) event.preventDefault(); });
