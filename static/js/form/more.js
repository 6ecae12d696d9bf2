// "More fields": a fold of what nobody needs to see. A field that is wanted stands before it from then on.

const LABEL = ".console-label .pf-v6-c-form__label-text";
const TITLE = ".console-section > summary .console-section-title";
const label = (field) => field.querySelector(`:scope > ${LABEL}, :scope > ${TITLE}`)?.textContent.trim();
const NAMED = 6;

function count(fold) {
  const fields = [...fold.querySelectorAll(":scope > .console-section-body > :is([data-field], [data-rest])")];
  const number = fold.querySelector(":scope > summary [data-more-count]");
  number.textContent = Math.max(fields.length, Number(number.textContent) - 1);
  const names = fold.querySelector(":scope > summary [data-more-names]");
  if (names) names.textContent = fields.slice(0, NAMED).map(label).filter(Boolean).join(", ");
  fold.hidden = !fields.length;
}

/** Brings a field out of the fold that it stands in; nothing happens to one that stands in none. */
export function lift(field) {
  const fold = field.parentElement?.closest("details");
  if (!fold?.matches("[data-more]") || field.parentElement.parentElement !== fold) return;
  fold.before(field);
  count(fold);
}
