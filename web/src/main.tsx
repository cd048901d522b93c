/** The entry of the web app. */
import "./styles/base.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { restore } from "./session.ts";
import { keepUpToDate } from "./update.ts";

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no #app");
void restore();
void keepUpToDate().catch(() => {});
render(<App />, root);
