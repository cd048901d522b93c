/** Builds the web app into `web/dist`. Its pages are served below /app/. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { build } from "esbuild";
import { defineConfig, type Plugin } from "vite";
import { ICON, icons } from "./icons.ts";
import { letters } from "./letters.ts";
import { APP } from "./src/paths.ts";

/** Compiles a script that is not a module, with the given constants. */
const compile = async (file: string, define: Record<string, unknown>): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "src", file)],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    write: false,
    define: Object.fromEntries(Object.entries(define).map(([name, value]) => [name, JSON.stringify(value)])),
  });
  return outputFiles[0]?.text.trim() ?? "";
};

/** Has src/lazy.ts import lazy-loaded scripts in place of Vite's own function, which tries only once. */
const patientImports: Plugin = {
  name: "patient-imports",
  enforce: "pre",
  resolveId: (id) => (id === "\0vite/preload-helper.js" ? join(import.meta.dirname, "src/lazy.ts") : null),
  generateBundle(_, bundle) {
    for (const [name, file] of Object.entries(bundle)) {
      if (file.type === "chunk" && file.code.includes("vite:preloadError"))
        throw new Error(`${name} has Vite's own function for lazy-loaded scripts`);
    }
  },
};

/** The tags of the app's script and style sheets, as Vite writes them. */
const FILE_TAG = /\s*<(?:script|link)[^>]*?(?:src|href)="(\/\w+\/assets\/[^"]+)"[^>]*>(?:<\/script>)?/g;

/** Has src/boot.ts load the script and the style sheet, and inserts it and the icon into the page. */
const boot: Plugin = {
  name: "boot",
  enforce: "post",
  async generateBundle(_, bundle) {
    const page = bundle["index.html"];
    if (page?.type !== "asset") throw new Error("the build has no index.html");
    const html = String(page.source);
    const files = [...html.matchAll(FILE_TAG)].map(([, path = ""]) => path);
    const [script, ...others] = files.toSorted(
      (one, other) => Number(one.endsWith(".css")) - Number(other.endsWith(".css")),
    );
    const isExpected = script?.endsWith(".js") && others.every((path) => path.endsWith(".css"));
    if (!isExpected) throw new Error(`index.html loads other files than one script and styles: ${files}`);
    const iconUrl = `data:image/svg+xml,${encodeURIComponent(ICON)}`;
    const code = await compile("boot.ts", { FILES: [script, ...others] });
    page.source = html
      .replace(FILE_TAG, "")
      .replace("/icon.svg", () => iconUrl)
      .replace("</title>", () => `</title>\n    <script>${code}</script>`);
  },
};

/** Adds the service worker, which has to know the names of all files of the build. */
const serviceWorker: Plugin = {
  name: "service-worker",
  // After the HTML file has been added.
  enforce: "post",
  async generateBundle(_, bundle) {
    // Game masters' pages are not for players, and the set-up is needed once: no browser loads them before they are opened.
    const shell = Object.keys(bundle).filter((name) => /^assets\/(?!gm|setUp)/.test(name));
    const page = bundle["index.html"];
    if (page?.type !== "asset") throw new Error("the build has no index.html");
    const source = await compile("worker/sw.ts", {
      SHELL: shell.map((name) => `${APP}${name}`),
      BUILD: createHash("sha256").update(`${shell.join()} ${page.source}`).digest("hex").slice(0, 16),
    });
    this.emitFile({ type: "asset", fileName: "sw.js", source });
  },
};

/** The browser orders layers as it first meets them, and the style sheet of a page may be loaded before that of the app. */
const layerOrder: Plugin = {
  name: "layer-order",
  enforce: "pre",
  transform: (code, id) => (id.endsWith(".css") ? `@layer base, ui, page, motion;\n${code}` : null),
};

export default defineConfig({
  root: import.meta.dirname,
  base: APP,
  // Not by NODE_ENV, which tests set: a development build names the folder that it was made in.
  oxc: { jsx: { runtime: "automatic", importSource: "preact", development: false } },
  build: {
    target: "es2022",
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // Otherwise a script that needs no other file would be missing from its own list.
      resolveDependencies: (file, needed, { hostType }) =>
        hostType === "js" ? [...new Set([file, ...needed])] : needed,
    },
    rolldownOptions: {
      output: {
        // Each file of a first visit is a request, and one that runs a function: the app is one script, and what only
        // lazy-loaded scripts share is another.
        codeSplitting: {
          groups: [
            { name: "app", tags: ["$initial"] },
            // Players never load it.
            { name: "gm-shared", test: /\/src\/(?:staff|text\/(?:staff|settingTexts))/, minShareCount: 2 },
            { name: "shared", minShareCount: 2 },
          ],
        },
      },
    },
  },
  plugins: [layerOrder, patientImports, icons, letters, boot, serviceWorker],
});
