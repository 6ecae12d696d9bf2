// Loaded before the first paint of every page: follows the system's dark or light wish where the visitor chose "system".
(() => {
  const root = document.documentElement;
  if (root.dataset.theme) return;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => root.classList.toggle("pf-v6-theme-dark", dark.matches);
  follow();
  dark.addEventListener("change", follow);
})();
