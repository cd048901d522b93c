/** Closing a mission with its result, and reopening it. */
import { signal } from "@preact/signals";
import { readNow } from "../../../state/session.ts";
import { effectTexts } from "../../../text/missions.ts";
import { gm } from "../../../text/staff.ts";
import { Field } from "../../../ui/field.tsx";
import { command, type Mission, type Result } from "../../calls.ts";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { bindSignal, Select } from "../../ui/inputs.tsx";

type MissionResult = NonNullable<Mission["result"]>;
type Rewarded = NonNullable<Result<"close_mission">["players"]>[number];

/** As many names as the service lists at once. */
const PREVIEW_LIMIT = 500;

const whatText = ({ rewards }: Rewarded): string =>
  rewards.flatMap(({ effect }) => effectTexts(effect)).join(", ");

/** Who gets what, those together who get the same, and who changes sides by it. */
export const closingEffects = ({
  count,
  skipped,
  players = [],
}: Pick<Result<"close_mission">, "count" | "skipped" | "players">): string[] => {
  const texts = gm.missions.closeEffects;
  const groups = [...Map.groupBy(players, whatText)];
  const turned = [
    ...Map.groupBy(
      players.filter(({ state, becomes }) => state !== becomes),
      ({ becomes }) => becomes,
    ),
  ];
  return [
    ...(count === 0 ? [texts.nobody] : []),
    ...turned.map(([state, same]) => texts.becomes(same.length, state)),
    ...(skipped === 0 ? [] : [texts.skipped(skipped)]),
    texts.told,
    // Last, because they may be long.
    ...groups.map(([what, same]) => {
      const names = same.map(({ alias }) => alias ?? gm.common.gone).toSorted();
      return texts.some(same.length, what, names.join(", "));
    }),
    ...(count > players.length ? [texts.more(count - players.length)] : []),
  ];
};

/** Returns the command to close a mission, with who is rewarded from a dry run. */
export const previewClosing = async ({
  mission_id,
  title,
  ends_at,
}: Mission): Promise<() => Confirmation> => {
  // Whoever wins, the same players get the same; only a mission that is cancelled gives nothing.
  const dry = await command("close_mission", {
    ...{ mission_id, result: "none", dry_run: true, limit: PREVIEW_LIMIT },
  });
  const result = signal<MissionResult | "">("");
  const note = signal("");
  const isEarly = Date.parse(ends_at) > (readNow() ?? Date.now());
  return () => ({
    action: "close_mission",
    title: gm.missions.closeTitle(title),
    decides: mission_id,
    effects: [
      ...(isEarly ? [gm.missions.closeEffects.early] : []),
      ...(result.value === "cancelled" ? gm.missions.closeEffects.cancelled : closingEffects(dry)),
    ],
    isReady: () => result.value !== "",
    fields: (
      <>
        <Select
          label={gm.missions.result}
          name="result"
          options={gm.missions.results}
          {...bindSignal<MissionResult | "">(result)}
        />
        <Field
          label={gm.missions.note}
          name="note"
          hint={gm.missions.noteHint}
          required={false}
          {...bindSignal(note)}
        />
      </>
    ),
    run: async (reason, key) => {
      const said = note.peek().trim();
      const body = {
        ...{
          mission_id,
          result: result.peek() === "" ? ("none" as const) : (result.peek() as MissionResult),
        },
        ...(said === "" ? {} : { note: said }),
        ...reason,
      };
      const { count, complete } = await command("close_mission", body, key);
      return { text: complete ? gm.missions.closed(count) : gm.missions.closing };
    },
  });
};

export const reopenConfirmation = ({ mission_id, title }: Mission): Confirmation => ({
  action: "reopen_mission",
  title: gm.missions.reopenTitle(title),
  effects: gm.missions.reopenEffects,
  run: async (reason, key) => {
    const { count, kept = 0, complete } = await command("reopen_mission", { mission_id, ...reason }, key);
    return { text: complete ? gm.missions.reopened(count, kept) : gm.missions.reopening };
  },
});
