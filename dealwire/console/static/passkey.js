// Passkeys: the browser makes or uses a key, and sends what it signed. Without this script people sign in with a password.

import { answered, bytes, credentials, post, text } from "./keys.js";

const form = document.querySelector("[data-passkey]");
const button = form?.querySelector("[data-passkey-button]");
const answer = form?.querySelector("[data-passkey-answer]");

function say(text) {
  answer.textContent = text;
}

async function enrol(given) {
  const options = await post("/enrol/options", given);
  options.challenge = bytes(options.challenge);
  options.user.id = bytes(options.user.id);
  options.excludeCredentials = credentials(options.excludeCredentials);
  const made = await navigator.credentials.create({ publicKey: options });
  const response = { clientDataJSON: text(made.response.clientDataJSON), attestationObject: text(made.response.attestationObject) };
  return post("/enrol/finish", { ...given, credential: { id: made.id, rawId: text(made.rawId), type: made.type, response } });
}

async function signIn(given) {
  const options = await post("/sign-in/passkey/options", { name: given.name });
  const used = await answered(options);
  const { clientDataJSON, authenticatorData, signature, userHandle } = used.response;
  const response = { clientDataJSON: text(clientDataJSON), authenticatorData: text(authenticatorData), signature: text(signature) };
  if (userHandle) response.userHandle = text(userHandle);
  return post("/sign-in/passkey", { back: given.back, credential: { id: used.id, rawId: text(used.rawId), type: used.type, response } });
}

async function go() {
  const given = Object.fromEntries(new FormData(form));
  delete given.password;
  if (!given.name) return say("Enter your name first.");
  button.setAttribute("aria-busy", "true");
  say("Waiting for your passkey …");
  try {
    const found = await (form.dataset.passkey === "enrol" ? enrol(given) : signIn(given));
    say(found.text);
    if (form.dataset.passkey === "sign-in") location.assign(found.to);
    else form.elements.code.value = ""; // it counts once
  } catch (error) {
    say(error.name === "NotAllowedError" ? "The passkey was not confirmed. Try again." : error.message);
  } finally {
    button.removeAttribute("aria-busy");
  }
}

if (form && window.isSecureContext && window.PublicKeyCredential) {
  button.hidden = false;
  button.addEventListener("click", go);
  form.addEventListener("submit", (event) => {
    if (form.dataset.passkey !== "enrol") return;
    event.preventDefault();
    go();
  });
  if (form.dataset.passkey === "enrol") say("");
}
