// Light or dark: as the system wishes, or as this browser was told by the switch. Runs before the page is drawn.

const KEPT = "dealwire-scheme";
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");

function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null; // storage is switched off: the switch then lasts as long as the page
  }
}

function keep(scheme) {
  try {
    localStorage.setItem(KEPT, scheme);
  } catch {
    return;
  }
}

const now = () => root.dataset.scheme ?? (system.matches ? "dark" : "light");
const wanted = kept();
if (wanted === "light" || wanted === "dark") root.dataset.scheme = wanted;

addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("scheme");
  if (!button) return;
  const name = () => (button.textContent = now() === "dark" ? "Light" : "Dark");
  button.setAttribute("aria-description", "changes the colors of the pages in this browser");
  name();
  system.addEventListener("change", name);
  button.addEventListener("click", () => {
    root.dataset.scheme = now() === "dark" ? "light" : "dark";
    keep(root.dataset.scheme);
    name();
  });
});
