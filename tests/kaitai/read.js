// node read.js FOLDER: for each line [class, hex] of the input a line of what the class in FOLDER reads, or its error.
const path = require("path");
const readline = require("readline");
const KaitaiStream = require("kaitai-struct/KaitaiStream");

function plain(value) {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  const found = {};
  const getters = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(value)));
  const names = [...Object.keys(value), ...getters.filter(([, each]) => each.get).map(([name]) => name)];
  for (const name of names) if (!name.startsWith("_")) found[name] = plain(value[name]);
  return found;
}

function read(name, hex) {
  const made = require(path.resolve(process.argv[2], name + ".js"));
  const cls = made[name] || made;
  try {
    return { read: plain(new cls(new KaitaiStream(new Uint8Array(Buffer.from(hex, "hex")).buffer))) };
  } catch (error) {
    return { error: String(error) };
  }
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  console.log(JSON.stringify(read(...JSON.parse(line))));
});
