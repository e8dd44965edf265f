// Passkeys: the browser makes or uses a key, and sends what it signed. Without this script people sign in with a password.

const form = document.querySelector("[data-passkey]");
const button = form?.querySelector("[data-passkey-button]");
const answer = form?.querySelector("[data-passkey-answer]");

function say(text) {
  answer.textContent = text;
}

function bytes(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}

function text(buffer) {
  return btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function post(path, body) {
  const reply = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify(body),
  });
  const found = await reply.json();
  if (!reply.ok) throw new Error(found.text);
  return found;
}

function credentials(list) {
  return (list ?? []).map((one) => ({ ...one, id: bytes(one.id) }));
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
  options.challenge = bytes(options.challenge);
  options.allowCredentials = credentials(options.allowCredentials);
  const used = await navigator.credentials.get({ publicKey: options });
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
