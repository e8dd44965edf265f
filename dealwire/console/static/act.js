// Actions without leaving the page: the answer is said in the bar, on small screens at the lower edge. Without this script the forms work too.

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

async function act(form) {
  const button = form.querySelector("button:not([type=button])");
  button.setAttribute("aria-busy", "true");
  say("", "Sending …");
  try {
    const said = await fetch(form.action, {
      method: "POST",
      headers: { Accept: "application/json" },
      body: new URLSearchParams(new FormData(form)),
    });
    const { good, text } = await said.json();
    say(good, text);
    if (form.matches("[popover]:popover-open")) form.hidePopover();
  } catch {
    say(false, "The program does not respond. Check the table before you try again.");
  } finally {
    button.removeAttribute("aria-busy");
  }
}
