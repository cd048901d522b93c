/** Builds the web app into `web/dist`. Its pages are served below /app/. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { build } from "esbuild";
import { defineConfig, type Plugin } from "vite";

/** Adds the service worker, which has to know the names of all files of the build. */
const serviceWorker: Plugin = {
  name: "service-worker",
  // After the HTML file has been added.
  enforce: "post",
  async generateBundle(_, bundle) {
    // Game masters' pages are not for players: no browser loads them before they are opened.
    const shell = Object.keys(bundle).filter((name) => /^assets\/(?!gm)/.test(name));
    const page = bundle["index.html"];
    if (page?.type !== "asset") throw new Error("the build has no index.html");
    const { outputFiles } = await build({
      entryPoints: [join(import.meta.dirname, "src/worker/sw.ts")],
      bundle: true,
      minify: true,
      format: "iife",
      target: "es2022",
      write: false,
      define: {
        SHELL: JSON.stringify(shell.map((name) => `/app/${name}`)),
        BUILD: JSON.stringify(
          createHash("sha256").update(`${shell.join()} ${page.source}`).digest("hex").slice(0, 16),
        ),
      },
    });
    this.emitFile({ type: "asset", fileName: "sw.js", source: outputFiles[0]?.contents ?? "" });
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
  base: "/app/",
  // Not by NODE_ENV, which tests set: a development build names the folder that it was made in.
  oxc: { jsx: { runtime: "automatic", importSource: "preact", development: false } },
  build: {
    target: "es2022",
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  plugins: [layerOrder, serviceWorker],
});
