// node compile.js LANGUAGE FOLDER FILE...: what Kaitai Struct's compiler makes of each description, written to FOLDER.
const fs = require("fs");
const path = require("path");
const yaml = require("js-yaml");
const compiler = require("kaitai-struct-compiler");

function end(code, line) {
  console.error(line);
  process.exit(code);
}

async function compile(language, folder, file) {
  const tree = yaml.load(fs.readFileSync(file, "utf8"));
  const made = await compiler.compile(language, tree, null, false);
  for (const [name, text] of Object.entries(made)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
}

async function main([language, folder, ...files]) {
  if (!files.length) end(2, "usage: node compile.js LANGUAGE FOLDER FILE...");
  if (!compiler.languages.includes(language)) {
    end(2, `${language}: no language of the compiler; it has ${[...compiler.languages].sort().join(", ")}`);
  }
  for (const file of files) {
    // The compiler throws what is no Error, too; a person needs the first line.
    await compile(language, folder, file).catch((error) => end(1, `${file}: ${String(error.message || error).split("\n")[0]}`));
  }
}

main(process.argv.slice(2));
