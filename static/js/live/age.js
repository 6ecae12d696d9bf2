// Times on every page (<time datetime data-age>): ages keep ticking, in kubectl's words and the reader's language, as age() of console/prefer/times.py has them;
// whoever prefers moments (data-times of the page) gets those, in the words of console/prefer/times.py.
const ENGLISH = { units: ["s", "m", "h", "d", "y"], pair: "%1%2" };

export function words({ ageUnits, agePair } = document.documentElement.dataset) {
  const units = (ageUnits ?? "").split(" ");
  return { units: units.length === 5 ? units : ENGLISH.units, pair: agePair || ENGLISH.pair };
}

export function age(seconds, { units: [second, minute, hour, day, year], pair } = ENGLISH) {
  const [minutes, hours, days] = [60, 3600, 86400].map((unit) => Math.floor(seconds / unit));
  const years = Math.floor(days / 365);
  const both = (number, unit, rest, smaller) =>
    rest ? pair.replace("%1", `${number}${unit}`).replace("%2", `${rest}${smaller}`) : `${number}${unit}`;
  if (seconds < 120) return `${seconds}${second}`;
  if (minutes < 10) return both(minutes, minute, seconds % 60, second);
  if (hours < 3) return `${minutes}${minute}`;
  if (hours < 8) return both(hours, hour, minutes % 60, minute);
  if (hours < 48) return `${hours}${hour}`;
  if (days < 8) return both(days, day, hours % 24, hour);
  if (years < 2) return `${days}${day}`;
  return years < 8 ? both(years, year, days % 365, day) : `${years}${year}`;
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
  const inWords = words();
  for (const element of root.querySelectorAll("time[data-age]")) {
    const then = Date.parse(element.dateTime);
    if (Number.isNaN(then)) continue;
    const text = format === "relative" ? age(Math.max(0, Math.floor((Date.now() - then) / 1000)), inWords) : moment(then, format);
    if (element.textContent !== text) element.textContent = text;
  }
}

export const tick = () => dress(document);
