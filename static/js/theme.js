// Loaded before the first paint of every page: says that there is script and in which time zone, and follows the system's dark or light preference where the visitor chose "system", and its preference for more contrast always.
(() => {
  const root = document.documentElement;
  // What only works with script has its place from the first paint on: nothing moves when the modules arrive.
  root.classList.add("console-scripted");
  const follow = (query, name, chosen) => {
    const preference = matchMedia(query);
    const look = () => root.classList.toggle(name, chosen() ?? preference.matches);
    look();
    preference.addEventListener("change", look);
    document.addEventListener("console:theme", look);
  };
  follow("(prefers-contrast: more)", "pf-v6-theme-high-contrast", () => undefined);
  follow("(prefers-color-scheme: dark)", "pf-v6-theme-dark", () => (root.dataset.theme ? root.dataset.theme === "dark" : undefined));
  // The server writes moments as they are on the reader's clock, from the next page on; this one is corrected by live/age.js.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";
  if (!document.cookie.includes(`console_zone=${zone};`) && !document.cookie.endsWith(`console_zone=${zone}`)) document.cookie = `console_zone=${zone}; path=/; max-age=31536000; samesite=lax`;
})();
