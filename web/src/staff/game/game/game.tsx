/** The settings: the clock, and a page for each section. */
import type { ComponentType } from "preact";
import { useLocation } from "preact-iso";
import { GAME_SECTIONS, type GameSection, paths } from "../../../paths.ts";
import { gm } from "../../../text/staff.ts";
import type { Settings } from "../../calls.ts";
import { Bans } from "../../people/bans/bans.tsx";
import { usePolled } from "../../polled.ts";
import { Loading } from "../../ui/loading.tsx";
import { AwardsCard } from "../awards/awards.tsx";
import { Season } from "../season/season.tsx";
import { newestOf, readSettings } from "../settings/settings.ts";
import { WaiverSettings } from "../waiver/waiverSettings.tsx";
import { Clock } from "./clock.tsx";
import { Originals } from "./originals.tsx";
import { Registration } from "./registration.tsx";
import { Rules, Texts } from "./rules.tsx";
import { Schedule } from "./schedule.tsx";
import "./game.css";

const SECTIONS: Readonly<Record<GameSection, ComponentType<{ settings: Settings }>>> = {
  schedule: Schedule,
  registration: Registration,
  originals: Originals,
  rules: Rules,
  waiver: WaiverSettings,
  texts: Texts,
  awards: AwardsCard,
  bans: Bans,
  season: Season,
};

export const Game = () => {
  const { path } = useLocation();
  const polled = usePolled(readSettings);
  const { value } = polled;
  const settings = value === null ? null : newestOf(value);
  const name = GAME_SECTIONS.find((one) => paths.gm.section(one) === path);
  const Section = name === undefined ? Clock : SECTIONS[name];
  return (
    <main class="page stack settings">
      <h1>{gm.nav.game}</h1>
      <nav class="parts" aria-label={gm.game.parts}>
        <a href={paths.gm.game} aria-current={name === undefined ? "page" : undefined}>
          {gm.game.clock}
        </a>
        {GAME_SECTIONS.map((one) => (
          <a key={one} href={paths.gm.section(one)} aria-current={one === name ? "page" : undefined}>
            {gm.game.sections[one]}
          </a>
        ))}
      </nav>
      <Loading of={polled} />
      {settings === null ? null : <Section key={name} settings={settings} />}
    </main>
  );
};
