// Bundles the front end into static/vendor: PatternFly purged to what our templates use, our CSS and JS minified, each
// with .br and .gz beside it, and manifest.json (name -> content hash) for cache-busting. Run by tools/setup.py.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import esbuild from "esbuild";
import { PurgeCSS } from "purgecss";

const root = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), "..");
const out = path.join(root, "static/vendor");
const made = path.join(root, "static/vendor.new");

function filesUnder(folder, endings) {
  const found = [];
  const walk = (at) => {
    for (const entry of existsSync(at) ? readdirSync(at, { withFileTypes: true }) : []) {
      const full = path.join(at, entry.name);
      if (entry.isDirectory()) {
        if (!["vendor", "vendor.new", "node_modules", "__pycache__"].includes(entry.name)) walk(full);
      } else if (endings.some((ending) => entry.name.endsWith(ending))) found.push(full);
    }
  };
  walk(path.join(root, folder));
  return found;
}

// PatternFly's whole sheet is 1.8 MB; a page needs a thirtieth of it. Class names made in Python or JS are found in those files' text.
async function patternfly() {
  const sheet = path.join(root, "node_modules/@patternfly/patternfly/patternfly.css");
  const content = [...filesUnder("templates", [".html", ".svg"]), ...filesUnder("static/js", [".js"]),
    ...["console", "operatorhub", "resources"].flatMap((app) => filesUnder(app, [".py"]))]
    .map((file) => ({ raw: readFileSync(file, "utf8"), extension: "html" }));
  // Our own sheets use its variables, and those stand for others.
  const own = filesUnder("static/css", [".css"]).map((file) => readFileSync(file, "utf8")).join("\n");
  // With its utilities (pf-v6-u-…), of which pages need a handful.
  const addons = path.join(root, "node_modules/@patternfly/patternfly/patternfly-addons.css");
  const whole = readFileSync(sheet, "utf8") + readFileSync(addons, "utf8");
  const used = new Set([...own.matchAll(/var\((--pf-[\w-]+)/g)].map((found) => found[1]));
  const means = new Map();
  for (const [, name, value] of whole.matchAll(/(--pf-[\w-]+)\s*:([^;}]*)/g)) means.set(name, `${means.get(name) ?? ""} ${value}`);
  for (const name of used) for (const [, below] of (means.get(name) ?? "").matchAll(/var\((--pf-[\w-]+)/g)) used.add(below);
  const purger = new PurgeCSS();
  const [result] = await purger.purge({
    content,
    css: [{ raw: whole }],
    defaultExtractor: (text) => text.match(/[A-Za-z0-9_-]+/g) ?? [],
    safelist: { standard: ["html", "body", ":root", "pf-v6-theme-dark"], deep: [/^pf-v6-theme-dark$/], variables: [...used] },
    fontFace: false,
    variables: true,
    keyframes: true,
  });
  // Only the two text faces are used; icons are our own SVG. A face that comes late is for the next page: none moves what is already read.
  return result.css.replaceAll("font-display: fallback", "font-display: optional").replace(/@font-face\s*{[^}]*(Font Awesome|pficon|Italic|RedHatMono)[^}]*}/g, "");
}

function compress(folder, manifest, base = "") {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    const name = base + entry.name;
    if (entry.isDirectory()) { compress(full, manifest, `${name}/`); continue; }
    const data = readFileSync(full);
    manifest[name] = createHash("sha256").update(data).digest("hex").slice(0, 12);
    if (/\.(js|css|svg|json|map)$/.test(name) && data.length > 200) {
      writeFileSync(`${full}.gz`, gzipSync(data, { level: 9 }));
      writeFileSync(`${full}.br`, brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
    }
  }
}

rmSync(made, { recursive: true, force: true });
mkdirSync(path.join(made, "work"), { recursive: true });
const sheet = path.join(root, "node_modules/@patternfly/patternfly/.console-purged.css");
writeFileSync(sheet, await patternfly());

const scripts = readdirSync(path.join(root, "static/js"), { withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".js")).map((entry) => path.join(root, "static/js", entry.name));
const sources = existsSync(path.join(root, "static/js/src")) ? filesUnder("static/js/src", [".js"]) : [];
const common = { bundle: true, minify: true, logLevel: "warning", target: ["es2022"], legalComments: "none", absWorkingDir: root };
await esbuild.build({ ...common, entryPoints: [...scripts, ...sources], outdir: path.join(made, "js"), outbase: path.join(root, "static/js"),
  format: "esm", splitting: true, chunkNames: "chunks/[name]-[hash]" });
await esbuild.build({ ...common, entryPoints: readdirSync(path.join(root, "static/css")).filter((name) => name.endsWith(".css")).map((name) => path.join(root, "static/css", name)),
  outdir: path.join(made, "css"), loader: { ".woff2": "file", ".svg": "dataurl" }, assetNames: "../fonts/[name]-[hash]",
  alias: { "patternfly": sheet } });
rmSync(path.join(made, "work"), { recursive: true, force: true });
rmSync(sheet, { force: true });
const manifest = {};
compress(made, manifest);
writeFileSync(path.join(made, "manifest.json"), JSON.stringify(manifest, null, 1));
rmSync(out, { recursive: true, force: true });
renameSync(made, out);
const size = (name) => statSync(path.join(out, name)).size;
for (const name of Object.keys(manifest).filter((item) => /^(css|js)\/[^/]*$/.test(item)))
  console.log(`${name.padEnd(28)} ${String(size(name)).padStart(8)} B ${existsSync(path.join(out, `${name}.br`)) ? `${String(size(`${name}.br`)).padStart(8)} B br` : ""}`);
