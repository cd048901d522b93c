/** The entry of the web app. */
import "./styles/base.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { restoreSession } from "./session.ts";
import { whenIdle } from "./ui/later.tsx";
import { keepUpToDate } from "./update.ts";

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no #app");
void restoreSession();
// In a task of its own, so that a slow phone can respond in between.
setTimeout(() => render(<App />, root));
// It fetches every file of the app, for which the page does not wait.
addEventListener("load", () => whenIdle(() => void keepUpToDate().catch(() => {})));
