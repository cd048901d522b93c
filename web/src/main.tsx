/** The entry point of the web app. */
import "./styles/base.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { restoreSession } from "./session.ts";
import { whenIdle } from "./ui/later.tsx";
import { keepUpToDate } from "./update.ts";

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no #app");
void restoreSession();
// In a separate task, so that a slow phone stays responsive.
setTimeout(() => render(<App />, root));
// Installing the service worker downloads the whole app, so it must not delay the first page.
addEventListener("load", () => whenIdle(() => void keepUpToDate().catch(() => {})));
