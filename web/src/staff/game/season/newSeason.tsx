/** The command that begins a new season, and how far it is. */
import { signal } from "@preact/signals";
import { Sparkles } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import { readUntil } from "../../../state/resource.ts";
import { now } from "../../../state/session.ts";
import { gm, type SeasonCounts } from "../../../text/staff.ts";
import { timeText } from "../../../text/times.ts";
import { Field } from "../../../ui/field.tsx";
import { command, read } from "../../calls.ts";
import { notifyChanged } from "../../changes.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { CopiedText } from "../../ui/copiedText.tsx";
import { bindSignal } from "../../ui/inputs.tsx";
import { showToast } from "../../ui/toasts.tsx";

/** What a new season would renew and remove: the sum of all parts of the dry run. */
const readPreview = async (): Promise<SeasonCounts> => {
  const { items: parts } = await readUntil(
    async (cursor) => {
      const part = await command("reset_season", {
        dry_run: true,
        ...(cursor === undefined ? {} : { cursor }),
      });
      return { items: [part], next: part.next_cursor ?? null };
    },
    undefined,
    Number.POSITIVE_INFINITY,
  );
  const sum = (numberOf: (part: SeasonCounts) => number): number =>
    parts.reduce((total, part) => total + numberOf(part), 0);
  const kinds = Object.keys(parts[0]?.removed ?? {});
  return {
    humans: sum(({ humans }) => humans),
    unenrolled: sum(({ unenrolled }) => unenrolled),
    removed: Object.fromEntries(kinds.map((kind) => [kind, sum(({ removed }) => removed[kind] ?? 0)])),
  };
};

/** Returns the command, with what the dry run counts. @param isKept whether the archive was saved on this page */
const previewReset = async (name: string, isKept: boolean): Promise<() => Confirmation> => {
  const counts = await readPreview();
  const entered = signal("");
  const password = signal("");
  return () => ({
    action: "reset_season",
    title: gm.season.reset,
    effects: gm.season.effects(counts, isKept),
    fields: (
      <>
        <Field label={gm.season.enterName(name)} name="name" {...bindSignal(entered)} />
        <Field
          label={gm.season.password}
          name="password"
          isSecret
          autoComplete="current-password"
          {...bindSignal(password)}
        />
      </>
    ),
    fieldsOfCodes: { bad_credentials: "password" },
    isReady: () => entered.value.trim() === name && password.value !== "",
    run: async (_, key) => {
      const body = { name: entered.value.trim(), password: password.value };
      const { complete } = await command("reset_season", body, key);
      return { text: complete ? gm.season.done : gm.season.working };
    },
  });
};

interface BeginProps {
  name: string;
  isKept: boolean;
  disabled: boolean;
}

export const Begin = ({ name, isKept, disabled }: BeginProps) => (
  <CommandButton
    action="reset_season"
    icon={Sparkles}
    kind="danger"
    disabled={disabled}
    preview={() => previewReset(name, isKept)}
  />
);

export const readReset = () => read("season");

type Reset = NonNullable<Awaited<ReturnType<typeof readReset>>["reset"]>;

/** How often a reset that is under way is read. */
const POLL_MS = 5_000;

/** How far a reset is. @param reload reads it again; says that the season has begun when this is no longer shown */
export const UnderWay = ({ reset, reload }: { reset: Reset; reload: () => void }) => {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const timer = setInterval(() => latest.current(), POLL_MS);
    return () => {
      clearInterval(timer);
    };
  }, []);
  const time = timeText(Date.parse(reset.started_at), now.value ?? Date.now());
  return (
    <div class="stack divided" role="status">
      <h3>{gm.season.underWay}</h3>
      <p>{gm.season.by(reset.by, time)}</p>
      {reset.job_id === null ? (
        <>
          <p class="muted">{gm.season.terminal}</p>
          <CopiedText text={gm.season.terminalCommand} />
        </>
      ) : (
        <>
          <p class="muted">{gm.season.progress(reset)}</p>
          <p class="field-note">{gm.season.wait}</p>
        </>
      )}
    </div>
  );
};

/** Tells that a reset which this page has shown is over. @param isUnderWay whether one is under way now */
export const useSeasonNews = (isUnderWay: boolean): void => {
  const was = useRef(false);
  useEffect(() => {
    if (was.current && !isUnderWay) {
      showToast(gm.season.done);
      notifyChanged();
    }
    was.current = isUnderWay;
  }, [isUnderWay]);
};
