/** The game page: the clock, all settings, awards and the season. */
import { useEffect } from "preact/hooks";
import { gm } from "../../../text/staff.ts";
import { Bans } from "../../people/bans/bans.tsx";
import { usePolled } from "../../polled.ts";
import { Loading } from "../../ui/loading.tsx";
import { AwardsCard } from "../awards/awards.tsx";
import { Season } from "../season/season.tsx";
import { newestOf, readSettings } from "../settings/settings.ts";
import { WebhooksCard } from "../webhooks/webhooks.tsx";
import { Clock } from "./clock.tsx";
import { Originals } from "./originals.tsx";
import { Registration } from "./registration.tsx";
import { Rules, Texts } from "./rules.tsx";
import { Schedule } from "./schedule.tsx";

const sections = () => [
  ["schedule", gm.game.schedule] as const,
  ["registration", gm.game.registration] as const,
  ["bans", gm.bans.title] as const,
  ["originals", gm.game.originals] as const,
  ["rules", gm.game.rules] as const,
  ["texts", gm.game.texts] as const,
  ["webhooks", gm.webhooks.title] as const,
  ["awards", gm.awards.title] as const,
  ["season", gm.season.title] as const,
];

const SectionNav = () => (
  <nav class="parts" aria-label={gm.game.parts}>
    {sections().map(([id, title]) => (
      <a key={id} href={`#${id}`}>
        {title}
      </a>
    ))}
  </nav>
);

export const Game = () => {
  const polled = usePolled(readSettings);
  const { value } = polled;
  const settings = value === null ? null : newestOf(value);
  const isRead = settings !== null;
  // A link from another page names a card that was not drawn yet.
  useEffect(() => {
    if (isRead) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [isRead]);
  return (
    <main class="page stack">
      <h1>{gm.nav.game}</h1>
      <Loading of={polled} />
      {settings === null ? null : (
        <>
          <SectionNav />
          <Clock settings={settings} />
          <Schedule settings={settings} />
          <Registration settings={settings} />
          <Bans zone={settings.time_zone} />
          <Originals settings={settings} />
          <Rules settings={settings} />
          <Texts settings={settings} />
          <WebhooksCard webhooks={settings.webhooks} zone={settings.time_zone} />
          <AwardsCard settings={settings} />
          <Season settings={settings} />
        </>
      )}
    </main>
  );
};
