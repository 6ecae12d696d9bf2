// Ages on every page (<time datetime data-age>) keep ticking; the words are those of kubectl, as console.templatetags.console.age_words has them.
export function age(seconds) {
  const [minutes, hours, days] = [60, 3600, 86400].map((unit) => Math.floor(seconds / unit));
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return seconds % 60 ? `${minutes}m${seconds % 60}s` : `${minutes}m`;
  if (hours < 3) return `${minutes}m`;
  if (hours < 8) return minutes % 60 ? `${hours}h${minutes % 60}m` : `${hours}h`;
  if (hours < 48) return `${hours}h`;
  return days < 730 ? `${days}d` : `${Math.floor(days / 365)}y`;
}

export function tick() {
  for (const element of document.querySelectorAll("time[data-age]")) {
    const then = Date.parse(element.dateTime);
    if (Number.isNaN(then)) continue;
    const text = age(Math.max(0, Math.floor((Date.now() - then) / 1000)));
    if (element.textContent !== text) element.textContent = text;
  }
}
