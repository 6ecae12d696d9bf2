// What the browser keeps, as JSON: in "localStorage", or as long as the tab lives in "sessionStorage". Where that isn't
// allowed, or is full, nothing is kept, and the page works without.
export function read(key, otherwise = null, area = "localStorage") {
  try { return JSON.parse(window[area].getItem(key)) ?? otherwise; } catch { return otherwise; }
}

export function write(key, value, area = "localStorage") {
  try {
    if (value === null) window[area].removeItem(key);
    else window[area].setItem(key, JSON.stringify(value));
  } catch { /* full, or not allowed */ }
}
