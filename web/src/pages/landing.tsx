/** The first page: what the game is, and the ways in. */
import { Biohazard, Footprints, Utensils } from "lucide";
import { readPublicGame } from "../api.ts";
import { en } from "../en.ts";
import { useValue } from "../resource.ts";
import { sessionState } from "../session.ts";
import { Counts } from "../ui/counts.tsx";
import { Icon } from "../ui/icon.tsx";
import "./landing.css";

const ICONS = [Footprints, Biohazard, Utensils] as const;

export const Landing = () => {
  const game = useValue(readPublicGame);
  return (
    <main class="landing">
      <header class="landing-hero" data-state="zombie">
        <span class="landing-mark">
          <Icon of={Biohazard} size={56} />
        </span>
        <h1>{game?.name ?? en.title}</h1>
        <p>{game?.description ?? en.landing.lead}</p>
        {game === null ? null : <p class="badge">{en.phase[game.phase]}</p>}
        <div class="landing-ways">
          {sessionState.value === "active" ? (
            <a class="button" data-kind="primary" href="/app/me">
              {en.landing.open}
            </a>
          ) : (
            <>
              {game?.registration === "closed" ? (
                <p>{en.landing.closed}</p>
              ) : (
                <a class="button" data-kind="primary" href="/app/join">
                  {en.landing.join}
                </a>
              )}
              <a class="button" href="/app/login">
                {en.landing.login}
              </a>
            </>
          )}
        </div>
      </header>
      {game === null ? null : <Counts counts={game.counts} />}
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
        {game?.rules ? (
          <details class="card">
            <summary>{en.landing.fullRules}</summary>
            <p class="landing-text">{game.rules}</p>
          </details>
        ) : null}
        {game?.contact ? <p class="muted">{en.landing.contact(game.contact)}</p> : null}
      </section>
    </main>
  );
};
