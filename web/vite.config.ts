/** Builds the web app into `web/dist`. Its pages are served below /app/. */
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  base: "/app/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
