// Times on every page (<time datetime data-age>): ages keep ticking, in kubectl's words, as console.templatetags.console.age_words has them; whoever prefers
// moments (data-times of the page) gets those, in the words of console/prefer/times.py.
export function age(seconds) {
  const [minutes, hours, days] = [60, 3600, 86400].map((unit) => Math.floor(seconds / unit));
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return seconds % 60 ? `${minutes}m${seconds % 60}s` : `${minutes}m`;
  if (hours < 3) return `${minutes}m`;
  if (hours < 8) return minutes % 60 ? `${hours}h${minutes % 60}m` : `${hours}h`;
  if (hours < 48) return `${hours}h`;
  return days < 730 ? `${days}d` : `${Math.floor(days / 365)}y`;
}

const two = (number) => String(number).padStart(2, "0");

export function moment(milliseconds, format) {
  const at = new Date(milliseconds);
  if (format === "utc") return `${at.toISOString().slice(0, 19)}Z`;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

// Rows that come live are made once for all readers, with ages: they are dressed before they are laid over the page.
export function dress(root) {
  const format = document.documentElement.dataset.times || "relative";
  for (const element of root.querySelectorAll("time[data-age]")) {
    const then = Date.parse(element.dateTime);
    if (Number.isNaN(then)) continue;
    const text = format === "relative" ? age(Math.max(0, Math.floor((Date.now() - then) / 1000))) : moment(then, format);
    if (element.textContent !== text) element.textContent = text;
  }
}

export const tick = () => dress(document);
