/** Describes the effects of a command from the result of its dry run. */
import { LIVING } from "../../../../lib/domain/players/states.ts";
import type { Checkpoint, Effect, Result } from "../../schemas.ts";
import { compareNames } from "../../state/search.ts";
import { gm } from "../../text/staff.ts";

type Named = readonly { alias: string | null }[];

const namesOf = (players: Named): string[] =>
  players.map(({ alias }) => alias ?? gm.common.gone).toSorted(compareNames);

/** Who becomes what, those together to whom the same happens. */
export const fatesOf = (players: NonNullable<Enforcement["players"]>) =>
  LIVING.flatMap((state) =>
    (["corpse", "zombie"] as const).flatMap((outcome) => {
      const some = players.filter((one) => one.state === state && (one.becomes ?? "corpse") === outcome);
      return some.length === 0 ? [] : [{ state, outcome, names: namesOf(some) }];
    }),
  );

type Enforcement = Pick<Result<"kill_all_not_at_checkpoint">, "killed" | "spared" | "players">;

/** @param closes when it closes, as text; `null` if it has no closing time, or has closed */
export const enforceEffects = (
  { killed, spared, players = [] }: Enforcement,
  { applies_to, closes_at }: Pick<Checkpoint, "applies_to" | "closes_at">,
  closes: string | null,
): string[] => {
  const rest = killed - players.length;
  const hasClosed = closes_at !== null && closes === null;
  const fates = fatesOf(players);
  const hasHidden = applies_to === "humans" && players.some(({ state }) => state === "zombie");
  return [
    ...(rest > 0
      ? [gm.checkpoint.missing(killed)]
      : fates.map(({ state, outcome, names }) => gm.checkpoint.sum(state, outcome, names.length))),
    ...(killed === 0 ? [gm.checkpoint.nobody] : []),
    ...(hasClosed ? [] : [gm.checkpoint.stillOpen(closes)]),
    gm.checkpoint.spared(spared),
    gm.checkpoint.notCounted[hasHidden ? "hidden" : applies_to],
    gm.checkpoint.once,
    // Last, because it may be long.
    ...fates.map(({ state, outcome, names }) => gm.checkpoint.fate(state, outcome, names)),
    ...(rest > 0 ? [gm.checkpoint.others(rest)] : []),
  ];
};

type Undo = Pick<Result<"undo_checkpoint">, "restored" | "changed" | "players">;

export const undoEffects = ({ restored, changed, players = [] }: Undo): string[] => {
  const named = (wanted: "restored" | "changed"): string[] =>
    namesOf(players.filter(({ outcome }) => outcome === wanted));
  return [
    gm.checkpoint.restored(restored, named("restored")),
    ...(changed === 0 ? [] : [gm.checkpoint.unchanged(changed, named("changed"))]),
    ...(restored === 0 ? [] : gm.checkpoint.undoEffects),
  ];
};

type Group = Pick<Result<"feed_group">, "count" | "skipped" | "players">;

/** @param effect the text that describes the effect on each player */
export const groupEffects = ({ count, skipped, players = [] }: Group, effect: string): string[] => [
  gm.group.whom(count, namesOf(players)),
  ...(count === 0 ? [] : [effect]),
  ...(skipped > 0 ? [gm.group.skipped(skipped)] : []),
];

/** @param effects the effects of one voided tag, of several that are voided in sequence, or of a code that is taken back */
export const voidEffects = (effects: readonly Effect[], cause?: "tag" | "code"): string[] => {
  // Equal effects of several voided tags are merged into one line.
  const groups = Map.groupBy(effects, ({ effect, alias }) => `${effect} ${alias}`);
  return [...groups.values()].flatMap((same) =>
    same.slice(0, 1).map((one) => gm.effect(one, same.length, cause)),
  );
};
