/** The entry point of the web app. */
import { APP } from "./paths.ts";
import "./styles/base.css";
import { effect } from "@preact/signals";
import { render } from "preact";
import { App } from "./app.tsx";
import { untilQuiet } from "./state/api.ts";
import { repeatPictures } from "./state/brokenPictures.ts";
import { restoreSession, snapshot } from "./state/session.ts";
import { keepUpToDate } from "./state/update.ts";
import { setGameZone } from "./text/times.ts";

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no #app");
repeatPictures();
effect(() => {
  const game = snapshot.value?.game;
  setGameZone(game?.time_zone ?? null);
  // The page of an earlier name may be in the cache.
  if (game !== undefined) document.title = game.name;
});
void restoreSession();
// In a separate task, so that a slow phone stays responsive.
setTimeout(() => render(<App />, root));
// Installing the service worker downloads the whole app, so it must not delay the first page. The browser loads the
// manifest at once, so it waits too.
const quiet = untilQuiet();
void quiet.then(() => {
  const manifest = document.createElement("link");
  [manifest.rel, manifest.href] = ["manifest", `${APP}manifest.webmanifest`];
  document.head.append(manifest);
});
void keepUpToDate(quiet).catch(() => {});
