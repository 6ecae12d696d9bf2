// What the browser keeps, as JSON: for ever (localStorage), or as long as the tab lives (sessionStorage). Without permission or room nothing is kept.
export function read(key, otherwise = null, storage = localStorage) {
  try { return JSON.parse(storage.getItem(key)) ?? otherwise; } catch { return otherwise; }
}

export function write(key, value, storage = localStorage) {
  try { if (value === null) storage.removeItem(key); else storage.setItem(key, JSON.stringify(value)); } catch { /* the page works without */ }
}
