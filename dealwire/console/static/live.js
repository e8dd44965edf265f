// The live line: what changes at the table comes by it. When it is lost the page says so at once, greys what it shows,
// and tries again by itself, soon at first and then every few seconds.

import { show } from "./morph.js";

const BEAT_MS = 12000; // the server says something every four seconds
const FIRST_MS = 250;
const LONGEST_MS = 4000;
const SIGNED_OUT = 4403; // its buttons are of no more use, so the page is not live again by itself
const WHY = {
  4401: "Sign in to see the table.",
  4403: "You are signed out, or your session has expired. Reload the page to view it or to sign in.",
  4404: "This table is no longer served. Retrying …",
  1013: "Too many pages are open at this console. Retrying …",
};

const main = document.getElementById("main");
const words = document.getElementById("connection");
const build = document.documentElement.dataset.build;
const address = new URL(main.dataset.live, location.href.replace(/^http/, "ws"));

let line = null;
let wait = FIRST_MS;
let lastHeard = null;
let beat = 0;
let retry = 0;
let over = false;

function say(state, text) {
  if (words.textContent !== text) words.textContent = text;
  words.dataset.state = state;
  words.hidden = false;
  main.classList.toggle("stale", state !== "live");
}

function connect() {
  clearTimeout(retry);
  if (line || over) return;
  const mine = (line = new WebSocket(address));
  mine.onmessage = (event) => heard(JSON.parse(event.data));
  mine.onclose = (event) => lost(mine, event.code);
  waitForBeat(mine);
}

function waitForBeat(mine) {
  clearTimeout(beat);
  beat = setTimeout(() => {
    mine.close();
    lost(mine, 0); // a line that is cut without a word closes late or never
  }, BEAT_MS);
}

function heard(message) {
  waitForBeat(line);
  if (message.build !== build) {
    line.onmessage = null; // asked for twice, a page that comes would be given up for the next
    location.reload(); // the program was replaced: its pages are other ones now
    return;
  }
  show(message.sections);
  wait = FIRST_MS;
  lastHeard = message.clock;
  if (message.sequence !== undefined) main.dataset.sequence = message.sequence; // without one the rest comes next
  main.dataset.clock = message.clock;
  say("live", "Page up to date");
}

function lost(mine, code) {
  if (mine !== line) return;
  line = null;
  clearTimeout(beat);
  const as = lastHeard ? ` This page shows the state at ${lastHeard}.` : "";
  say("lost", (WHY[code] ?? "Connection lost. Reconnecting …") + as);
  over = code === SIGNED_OUT;
  if (over) return;
  retry = setTimeout(connect, wait * (0.8 + 0.4 * Math.random()));
  wait = Math.min(wait * 2, LONGEST_MS);
}

function now() {
  if (line === null) {
    wait = FIRST_MS;
    connect();
  }
}

setTimeout(() => {
  if (!lastHeard && !over && line) say("lost", "No response yet. If this persists, reload the page.");
}, 3 * LONGEST_MS);
addEventListener("online", now);
addEventListener("pageshow", now);
document.addEventListener("visibilitychange", () => document.hidden || now());
words.hidden = false;
connect();
