// Actions without leaving the page: the answer is said beside the buttons. Without this script the forms work too.

for (const form of document.querySelectorAll("form.act")) form.addEventListener("submit", act);

async function act(event) {
  event.preventDefault();
  const form = event.currentTarget;
  const answer = form.closest("section").querySelector("[data-answer]");
  if (form.dataset.asks && !confirm(form.dataset.asks)) return;
  const button = form.querySelector("button");
  button.setAttribute("aria-disabled", "true");
  answer.dataset.good = "";
  answer.textContent = "Asking …";
  try {
    const said = await fetch(form.action, {
      method: "POST",
      headers: { Accept: "application/json" },
      body: new URLSearchParams(new FormData(form)),
    });
    const { good, text } = await said.json();
    answer.dataset.good = good;
    answer.textContent = text;
  } catch {
    answer.dataset.good = "false";
    answer.textContent = "No answer from the program. Look at the table before you try again.";
  } finally {
    button.removeAttribute("aria-disabled");
  }
}
