/** What an address shows that leads nowhere. */
import { paths } from "../../paths.ts";
import { en } from "../../text/en.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Crowd } from "../../ui/crowd.tsx";
import "../enter/enter.css";

export const NotFound = () => (
  <main class="enter">
    <Crowd />
    <div class="stack">
      <h1>{en.notFound.title}</h1>
      <p class="muted">{en.notFound.text}</p>
      <ButtonLink text={en.notFound.back} kind="primary" href={paths.landing} />
    </div>
  </main>
);
