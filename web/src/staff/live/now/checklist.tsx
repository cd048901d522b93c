/** What a new game needs before its start: each thing with its state, and the way to it. */
import { Circle, CircleCheck, CircleMinus, Printer, Upload } from "lucide";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { paths } from "../../../paths.ts";
import type { Settings, StaffPlayer } from "../../../schemas.ts";
import { pushState } from "../../../state/device.ts";
import { snapshot } from "../../../state/session.ts";
import { list, shape, text } from "../../../state/shapes.ts";
import { readStored, removeStored, writeStored } from "../../../state/stored.ts";
import { gm } from "../../../text/staff.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Qr } from "../../../ui/camera/qr.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { command } from "../../calls.ts";
import { readSettings } from "../../game/settings/settings.ts";
import { usePolled } from "../../polled.ts";
import { useRoster } from "../../roster.ts";
import { Address, isAddressUnknown, playersOrigin } from "../../ui/address.tsx";
import { CommandButton } from "../../ui/commandButton.tsx";
import { CopiedText } from "../../ui/copiedText.tsx";
import { Loading, ReadError } from "../../ui/loading.tsx";

/** What the states derive from. */
interface Facts {
  settings: Settings;
  players: readonly StaffPlayer[];
  hasTested: boolean;
}

type Name = keyof typeof gm.checklist.items;

interface Item {
  name: Name;
  /** Where it is done. */
  href: string;
  isDone: (facts: Facts) => boolean;
  /** What is shown below it. */
  More?: (props: Facts & { onDone: () => void }) => ComponentChildren;
}

/** The label by which the test message reaches its sender alone. */
const TEST_LABEL = "test-message";
const isStaff = ({ role }: StaffPlayer): boolean => role !== "player";

/** The link for newcomers, with the first join code of the game. */
const Invitation = ({ settings }: Facts) => {
  const origin = playersOrigin();
  const path = paths.joinWith(settings.join_codes[0]?.code ?? null);
  const link = `${origin}${path}`;
  return (
    <>
      <details>
        <summary>{gm.checklist.invitation}</summary>
        <div class="stack">
          <Address />
          {origin === null ? null : (
            <>
              <CopiedText text={link} />
              <Qr text={link} label={gm.print.qr(link)} />
            </>
          )}
          {isAddressUnknown ? (
            <div>
              <p class="muted">{gm.checklist.here}</p>
              <CopiedText text={`${location.origin}${path}`} />
            </div>
          ) : null}
          <ButtonLink text={gm.game.posters} icon={Printer} href={paths.gm.print} />
        </div>
      </details>
      <div class="actions">
        <ButtonLink text={gm.invitations.import} icon={Upload} href={paths.gm.import} />
      </div>
    </>
  );
};

/** Sends a push to the game master alone, if this device gets pushes; the profile, to which the row leads, turns them on. */
const Test = ({ onDone }: { onDone: () => void }) => {
  const alias = snapshot.value?.player.alias;
  if (pushState.value !== "on" || alias === undefined) return null;
  return (
    <CommandButton
      action="send"
      text={gm.checklist.test}
      confirmation={{
        action: "send",
        title: gm.checklist.test,
        effects: gm.checklist.testEffects,
        run: async (_, key) => {
          const labelled = { aliases: [alias] };
          await command("label", { ...labelled, add: [TEST_LABEL] });
          const { testTitle: title, testContent: content } = gm.checklist;
          const audience = `label:${TEST_LABEL}`;
          await command("send", { title, content, audience, player_groups: "All" }, key);
          onDone();
          return { text: gm.checklist.tested };
        },
      }}
    />
  );
};

const ITEMS: readonly Item[] = [
  {
    name: "texts",
    href: paths.gm.section("texts"),
    isDone: ({ settings }) => settings.rules !== null,
  },
  {
    name: "zone",
    href: paths.gm.section("schedule"),
    isDone: ({ settings }) => settings.time_zone !== "UTC",
  },
  {
    name: "dates",
    href: paths.gm.section("schedule"),
    isDone: ({ settings }) => settings.starts_at !== null && settings.ends_at !== null,
  },
  {
    name: "hours",
    href: paths.gm.section("schedule"),
    isDone: ({ settings }) => settings.play_hours !== null,
  },
  {
    name: "players",
    href: paths.gm.section("registration"),
    isDone: ({ players }) => players.some((one) => !isStaff(one)),
    More: Invitation,
  },
  { name: "helpers", href: paths.gm.players, isDone: ({ players }) => players.filter(isStaff).length > 1 },
  {
    name: "originals",
    href: paths.gm.section("originals"),
    isDone: ({ players }) => players.some(({ state }) => state === "zombie"),
  },
  { name: "test", href: paths.profile, isDone: ({ hasTested }) => hasTested, More: Test },
];

/**
 * What was skipped, and whether the test was sent, on this device: a setting of the game would hide from one game master what
 * another has skipped, and says nothing about the game.
 */
const STORED = "checklist";
interface Stored {
  skipped: readonly string[];
  done: readonly string[];
}
const isStored = shape<Stored>({ skipped: list(text), done: list(text) });
const NOTHING: Stored = { skipped: [], done: [] };

const STATES = { done: CircleCheck, open: Circle, skipped: CircleMinus } as const;

/** Forgets what was skipped before a season that has begun. */
export const forgetChecklist = (): void => removeStored(STORED);

export const Checklist = () => {
  const polled = usePolled(readSettings);
  // Before the start, the game changes when somebody joins.
  const roster = useRoster(true, snapshot.value?.game);
  const { players, isLoading } = roster;
  const [stored, setStored] = useState(() => readStored<Stored>(STORED, isStored) ?? NOTHING);
  const settings = polled.value;
  if (settings === null || isLoading) return <Loading of={{ ...polled, value: null }} rows={8} />;
  const change = (part: Partial<Stored>): void => {
    const next = { ...stored, ...part };
    writeStored(STORED, next);
    setStored(next);
  };
  const facts = {
    settings,
    players: players.map(({ player }) => player),
    hasTested: stored.done.includes("test"),
  };
  const stateOf = ({ name, isDone }: Item): keyof typeof STATES =>
    isDone(facts) ? "done" : stored.skipped.includes(name) ? "skipped" : "open";
  const open = ITEMS.filter((item) => stateOf(item) === "open").length;
  return (
    <section class="card stack">
      <h2>{gm.checklist.title(open)}</h2>
      <ReadError of={[polled, roster]} />
      <ul class="list checklist">
        {ITEMS.map((item) => {
          const { name, href, More } = item;
          const [title, how] = gm.checklist.items[name];
          const state = stateOf(item);
          const others = stored.skipped.filter((one) => one !== name);
          return (
            <li key={name} class="row" data-item={name} data-done={state}>
              <Icon of={STATES[state]} />
              <a class="grow" href={href}>
                <strong>{title}</strong>
                <span class="sub">
                  <span class={state === "open" ? "visually-hidden" : undefined}>
                    {gm.checklist.states[state]}
                  </span>
                  {state === "open" ? how : null}
                </span>
              </a>
              {state === "done" ? null : (
                <Button
                  text={state === "open" ? gm.checklist.skip : gm.checklist.unskip}
                  aria-label={(state === "open" ? gm.checklist.skipOne : gm.checklist.unskipOne)(title)}
                  kind="quiet"
                  onClick={() => change({ skipped: state === "open" ? [...others, name] : others })}
                />
              )}
              {More === undefined || state === "skipped" ? null : (
                <div class="checklist-more">
                  <More {...facts} onDone={() => change({ done: [name] })} />
                </div>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
};
