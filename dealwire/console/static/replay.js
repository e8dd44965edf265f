// A recording: play, pause, step, seek. Steps come from the server, dealt again there; this only asks for them in turn.

import { show } from "./morph.js";

const LONGEST_MS = 2000; // nobody waits through the minutes in which nothing happened
const SHORTEST_MS = 40;

const player = document.getElementById("player");
const seek = document.getElementById("seek");
const button = (id) => document.getElementById(id);
const play = button("play");
const speed = button("speed");
const last = Number(seek.max);

let number = Number(player.dataset.number);
let steps = { at_ms: [], rounds: [], incidents: [], actions: [] };
let timer = 0;
let wanted = number; // the step asked for last: answers to others come too late
let busy = false;

async function go(to, { keep = false } = {}) {
  wanted = Math.max(0, Math.min(last, to));
  if (!keep) pause();
  if (busy) return;
  busy = true;
  try {
    while (wanted !== number) {
      const asked = wanted;
      const said = await fetch(player.dataset.step + asked);
      if (!said.ok) throw new Error(said.statusText);
      const { what, when, at, sections } = await said.json();
      number = asked;
      show(sections);
      place(what, when, at);
    }
  } catch {
    pause();
    tell("The program does not respond.");
    wanted = number;
  } finally {
    busy = false;
  }
}

function place(what, when, at) {
  seek.value = number;
  seek.setAttribute("aria-valuetext", `Step ${number + 1} of ${last + 1}: ${what}`);
  button("where").textContent = `Step ${number + 1} of ${last + 1}`;
  button("what").textContent = what;
  button("when").textContent = when;
  button("when").dateTime = at;
  player.dataset.number = number;
  history.replaceState(null, "", moment());
}

// The address of this very step, by its time: what a recording that grows shows moves on, and numbers with it.
function moment() {
  if (!steps.first_ms) return `?step=${number}`;
  const at = steps.at_ms[number];
  const nth = number - steps.at_ms.indexOf(at);
  return `?at=${steps.first_ms[0] + at}${nth ? `&step=${nth}` : ""}`;
}

const tell = (text) => (button("told").textContent = text);

function pause() {
  clearTimeout(timer);
  timer = 0;
  word("Play", false);
}

function word(text, pressed) {
  play.setAttribute("aria-pressed", pressed);
  play.querySelector("[data-word]").textContent = text;
}

function run() {
  word("Pause", true);
  const wait = (steps.at_ms[number + 1] - steps.at_ms[number]) / Number(speed.value);
  timer = setTimeout(async () => {
    await go(number + 1, { keep: true });
    if (!timer) return;
    if (number < last) run();
    else {
      pause();
      tell("The recording ends here.");
    }
  }, Math.max(SHORTEST_MS, Math.min(LONGEST_MS, wait)));
}

async function toggle() {
  if (timer) return pause();
  if (number >= last) await go(0);
  run();
}

function before(marks) {
  const last = marks.findLast((mark) => mark < wanted);
  if (last === undefined) tell("There is no earlier one.");
  else go(last);
}

async function copy() {
  try {
    await navigator.clipboard.writeText(location.href);
    tell("Link to this step copied.");
  } catch {
    tell(location.href); // a page that came without TLS over the network may not reach the clipboard
  }
}

function after(marks) {
  const next = marks.find((mark) => mark > wanted);
  if (next === undefined) tell("There is no later one.");
  else go(next);
}

function mark() {
  const drawing = document.getElementById("marks");
  for (const [kind, marks] of [["round", steps.rounds], ["incident", steps.incidents]])
    for (const at of marks) {
      const tick = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      tick.setAttribute("x", (1000 * at) / Math.max(1, last));
      tick.setAttribute("y", kind === "round" ? 6 : 0);
      tick.setAttribute("width", 2.5);
      tick.setAttribute("height", kind === "round" ? 6 : 12);
      tick.setAttribute("class", kind);
      drawing.append(tick);
    }
}

function keys(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  if (event.key === " " && !/^(BUTTON|A)$/.test(event.target.tagName)) toggle();
  else if (event.key === "ArrowLeft") go(wanted - 1);
  else if (event.key === "ArrowRight") go(wanted + 1);
  else if (event.key === "Home") go(0);
  else if (event.key === "End") go(last);
  else return;
  event.preventDefault();
}

function link(id, to) {
  button(id).addEventListener("click", (event) => {
    event.preventDefault();
    go(to());
  });
}

link("first", () => 0);
link("back", () => wanted - 1);
link("forward", () => wanted + 1);
link("last", () => last);
play.addEventListener("click", toggle);
seek.addEventListener("input", () => go(Number(seek.value)));
button("next-round").addEventListener("click", () => after(steps.rounds));
button("next-incident").addEventListener("click", () => after(steps.incidents));
button("previous-round").addEventListener("click", () => before(steps.rounds));
button("previous-incident").addEventListener("click", () => before(steps.incidents));
button("next-action")?.addEventListener("click", () => after(steps.actions));
button("previous-action")?.addEventListener("click", () => before(steps.actions));
button("copy").addEventListener("click", copy);
addEventListener("keydown", keys);

steps = await (await fetch(player.dataset.steps)).json();
mark();
for (const waiting of document.querySelectorAll("#player :disabled")) waiting.disabled = false;
