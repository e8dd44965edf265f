// Passkeys, for the pages that use them: bytes as text, and the answer of a passkey.

export function bytes(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}

export function text(buffer) {
  return btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function post(path, body) {
  const reply = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new Error("The program does not respond. Try again.");
  });
  const found = await reply.json();
  if (!reply.ok) throw new Error(found.text);
  return found;
}

export function credentials(list) {
  return (list ?? []).map((one) => ({ ...one, id: bytes(one.id) }));
}

// The passkey's answer to the options of a request, or to sign in.
export function answered(options) {
  options.challenge = bytes(options.challenge);
  options.allowCredentials = credentials(options.allowCredentials);
  return navigator.credentials.get({ publicKey: options });
}

// What the tables check of an approval.
export async function proof(path, request) {
  if (!window.isSecureContext || !window.PublicKeyCredential) throw new Error("Open the console at its host name to use a passkey.");
  const used = await answered(await post(path, { request }));
  const { clientDataJSON, authenticatorData, signature } = used.response;
  return { id: used.id, client: text(clientDataJSON), authenticator: text(authenticatorData), signature: text(signature) };
}
