// Loaded before the first paint of every page: says that there is script, and follows the system's dark or light wish where the visitor chose "system", and its wish for more contrast always.
(() => {
  const root = document.documentElement;
  // What only works with script has its place from the first paint on: nothing moves when the modules arrive.
  root.classList.add("console-scripted");
  const follow = (query, name) => {
    const wish = matchMedia(query);
    const look = () => root.classList.toggle(name, wish.matches);
    look();
    wish.addEventListener("change", look);
  };
  follow("(prefers-contrast: more)", "pf-v6-theme-high-contrast");
  if (!root.dataset.theme) follow("(prefers-color-scheme: dark)", "pf-v6-theme-dark");
})();
