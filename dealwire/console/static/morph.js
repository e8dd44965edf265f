// Make one part of the page look like new HTML, changing only what differs: what has the focus keeps it, what was
// scrolled stays scrolled, and a screen reader hears only what is new.

export function morph(element, html) {
  const parsed = document.createElement("template");
  parsed.innerHTML = html;
  children(element, parsed.content);
}

function children(old, fresh) {
  const byId = new Map();
  for (const child of old.children) if (child.id) byId.set(child.id, child);
  let at = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const known = wanted.id ? byId.get(wanted.id) : undefined;
    if (known && known.nodeName === wanted.nodeName) {
      if (known === at) at = at.nextSibling;
      else old.insertBefore(known, at);
      one(known, wanted);
    } else if (at && !at.id && !wanted.id && at.nodeName === wanted.nodeName) {
      const next = at.nextSibling;
      one(at, wanted);
      at = next;
    } else {
      old.insertBefore(wanted, at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

function one(old, wanted) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== wanted.nodeValue) old.nodeValue = wanted.nodeValue;
    return;
  }
  for (const { name } of [...old.attributes]) if (!wanted.hasAttribute(name) && !held(old, name)) old.removeAttribute(name);
  for (const { name, value } of wanted.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  children(old, wanted);
}

// What a person did to the page, and the program knows nothing of: what was opened stays open.
const held = (element, name) => name === "aria-busy" || (name === "open" && element.nodeName === "DETAILS");

// Every section of a message that this page shows; one that is as it was is left alone.
const shown = new Map();

export function show(sections) {
  for (const [name, html] of Object.entries(sections)) {
    if (shown.get(name) === html) continue;
    for (const place of document.querySelectorAll(`[data-section="${name}"]`)) morph(place, html);
    shown.set(name, html);
  }
}
