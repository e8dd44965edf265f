// Actions without leaving the page: the answer is said in the bar, on small screens at the lower edge. Without this script the forms work too.

import { proof } from "./keys.js";

const READ_MS = 6000; // what went well need not be read; what did not stays until something else is said
const answer = document.querySelector("[data-answer]");
let over = 0;

function say(good, text) {
  answer.dataset.good = good;
  answer.textContent = text;
  clearTimeout(over);
  if (good === true) over = setTimeout(() => (answer.textContent = ""), READ_MS);
}

// A button that cannot work now keeps the focus and says why; it does nothing.
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[aria-disabled=true]");
  if (!button) return;
  event.preventDefault();
  const described = (button.getAttribute("aria-describedby") ?? "").split(" ")[0];
  say(false, button.dataset.why ?? document.getElementById(described)?.textContent ?? "Not possible now.");
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form.act, form.ask")) return;
  event.preventDefault();
  if (form.querySelector("button[aria-disabled=true], button[aria-busy=true]")) return;
  if (form.matches(".act") && form.dataset.asks && !confirm(form.dataset.asks)) return;
  act(form);
});

// An approval that a passkey signs, where the house wants that.
async function prove(form, body) {
  say("", "Waiting for your passkey …");
  try {
    body.set("proof", JSON.stringify(await proof(form.dataset.prove, Number(body.get("request")))));
    return true;
  } catch (error) {
    say(false, error.name === "NotAllowedError" ? "The passkey was not confirmed. Try again." : error.message);
    return false;
  }
}

async function act(form) {
  const button = form.querySelector("button:not([type=button])");
  button.setAttribute("aria-busy", "true");
  const body = new URLSearchParams(new FormData(form));
  try {
    if (form.dataset.prove && !(await prove(form, body))) return;
    say("", "Sending …");
    const said = await fetch(form.action, { method: "POST", headers: { Accept: "application/json" }, body });
    const { good, text } = await said.json();
    say(good, text);
    if (form.matches("[popover]:popover-open")) form.hidePopover();
  } catch {
    say(false, "The program does not respond. Check the table before you try again.");
  } finally {
    button.removeAttribute("aria-busy");
  }
}
