/** The first page: what the game is, and the ways in. */
import { Biohazard, Footprints, Utensils } from "lucide";
import { en } from "../en.ts";
import { sessionState } from "../session.ts";
import { Icon } from "../ui/icon.tsx";
import "./landing.css";

const ICONS = [Footprints, Biohazard, Utensils] as const;

export const Landing = () => (
  <main class="landing">
    <header class="landing-hero" data-state="zombie">
      <span class="landing-mark">
        <Icon of={Biohazard} size={56} />
      </span>
      <h1>{en.title}</h1>
      <p>{en.landing.lead}</p>
      <div class="landing-ways">
        {sessionState.value === "active" ? (
          <a class="button" data-kind="primary" href="/app/me">
            {en.landing.open}
          </a>
        ) : (
          <>
            <a class="button" data-kind="primary" href="/app/join">
              {en.landing.join}
            </a>
            <a class="button" href="/app/login">
              {en.landing.login}
            </a>
          </>
        )}
      </div>
    </header>
    <section class="landing-rules">
      <h2>{en.landing.how}</h2>
      <ol>
        {en.landing.rules.map(([title, text], at) => (
          <li key={title} class="card">
            <Icon of={ICONS[at] ?? Footprints} size={28} />
            <h3>{title}</h3>
            <p class="muted">{text}</p>
          </li>
        ))}
      </ol>
    </section>
  </main>
);
