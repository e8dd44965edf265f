// node compile.js LANGUAGE FOLDER FILE...: what Kaitai Struct's compiler makes of each description, written to FOLDER.
const fs = require("fs");
const path = require("path");
const yaml = require("js-yaml");
const compiler = require("kaitai-struct-compiler");

async function main([language, folder, ...files]) {
  fs.mkdirSync(folder, { recursive: true });
  for (const file of files) {
    const tree = yaml.load(fs.readFileSync(file, "utf8"));
    const made = await compiler.compile(language, tree, null, false);
    for (const [name, text] of Object.entries(made)) {
      fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      fs.writeFileSync(path.join(folder, name), text);
    }
  }
}

main(process.argv.slice(2)).catch((error) => { console.error(error); process.exit(1); });
