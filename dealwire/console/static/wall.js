// The wall of a pit: a clock, pages when there are more tables than places, and a call when something new is wrong.

const ROOMY = 1800; // pixels of a screen's height from which twenty tables can be read from afar
const places = () => (innerHeight >= ROOMY ? 20 : 12);
const TURN_MS = 15000;
const AGAIN_MS = 20000; // an alarm that nobody has seen to is heard again
const KEEP = "dealwire-wall";

const wall = document.getElementById("wall");
const ribbon = document.getElementById("ribbon");
const clock = document.getElementById("wall-clock");
const words = document.getElementById("wall-page");
const sound = document.getElementById("sound");
const notices = document.getElementById("notify");
const full = document.getElementById("full");
const title = document.title;

const kept = JSON.parse(localStorage.getItem(KEEP) ?? "{}");
const keep = () => localStorage.setItem(KEEP, JSON.stringify(kept));

// ---- time: the tables', which may be another than this browser's

const main = document.getElementById("main");
const tick = () => {
  clock.textContent = (main.dataset.clock ?? "").slice(0, 5);
};
tick();
new MutationObserver(tick).observe(main, { attributes: true, attributeFilter: ["data-clock"] });

// ---- more tables than places: those with trouble stay, the others take turns

let turn = 0;

function place() {
  const tiles = [...wall.children];
  const most = places();
  wall.dataset.count = Math.min(tiles.length, most);
  const alarmed = tiles.filter((tile) => tile.querySelector(".tile.alarm"));
  const stays = alarmed.length < most ? alarmed : []; // no place is anybody else's while more are in trouble
  const others = alarmed.length < most ? tiles.filter((tile) => !alarmed.includes(tile)) : alarmed;
  const room = most - stays.length;
  const pages = Math.max(1, Math.ceil(others.length / room));
  const page = turn % pages;
  const seen = new Set([...stays, ...others.slice(page * room, (page + 1) * room)]);
  for (const tile of tiles) tile.hidden = !seen.has(tile);
  words.textContent = pages > 1 ? ` page ${page + 1} of ${pages}` : "";
}

if (wall && !wall.matches(".flows")) {
  place();
  setInterval(() => {
    turn += 1;
    place();
  }, TURN_MS);
  addEventListener("resize", place);
}

// ---- what is new

let context = null;

function beep(times) {
  if (!kept.sound) return;
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
  for (let number = 0; number < times; number += 1) {
    const [tone, volume] = [context.createOscillator(), context.createGain()];
    const at = context.currentTime + number * 0.35;
    tone.frequency.value = number % 2 ? 660 : 880;
    volume.gain.setValueAtTime(0.0001, at);
    volume.gain.exponentialRampToValueAtTime(0.4, at + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.3);
    tone.connect(volume).connect(context.destination);
    tone.start(at);
    tone.stop(at + 0.32);
  }
  document.body.dataset.beeps = Number(document.body.dataset.beeps ?? 0) + 1;
}

function notice(text, key) {
  if (kept.notices && "Notification" in window && Notification.permission === "granted") {
    new Notification("dealwire", { body: text, tag: key, requireInteraction: true });
  }
}

const found = () => new Map([...ribbon.querySelectorAll("[data-alarm]")].map((each) => [each.dataset.alarm, each]));
let known = new Set(found().keys());
let heard = Date.now();

function look() {
  const now = found();
  const fresh = [...now].filter(([key]) => !known.has(key));
  known = new Set(now.keys());
  document.title = now.size ? `(${now.size}) ${title}` : title;
  if (fresh.length) {
    heard = Date.now();
    beep(3);
    for (const [key, element] of fresh) notice(element.textContent.trim(), key);
  }
  if (wall && !wall.matches(".flows")) place();
}

new MutationObserver(look).observe(ribbon, { childList: true, subtree: true, attributes: true });
document.title = known.size ? `(${known.size}) ${title}` : title;
setInterval(() => {
  if (ribbon.querySelector("[data-alarm].alarm") && Date.now() - heard >= AGAIN_MS) {
    heard = Date.now();
    beep(2);
  }
}, 1000);

// ---- keys

function label() {
  sound.textContent = `Sound: ${kept.sound ? "on" : "off"}`;
  sound.setAttribute("aria-pressed", String(Boolean(kept.sound)));
  notices.textContent = `Alerts: ${kept.notices ? "on" : "off"}`;
  notices.setAttribute("aria-pressed", String(Boolean(kept.notices)));
  if ("Notification" in window && Notification.permission === "denied") notices.textContent = "Alerts: blocked by the browser";
}

sound.hidden = !("AudioContext" in window);
notices.hidden = !("Notification" in window);
full.hidden = !document.fullscreenEnabled || "never" in full.dataset;
sound.addEventListener("click", () => {
  kept.sound = !kept.sound;
  keep();
  label();
  beep(1);
});
notices.addEventListener("click", async () => {
  kept.notices = !kept.notices && (await Notification.requestPermission()) === "granted";
  keep();
  label();
});
full.addEventListener("click", () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen();
});
label();
