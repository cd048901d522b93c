/** Where a desk checks players in: at the checkpoint, or at a mission. Pure. */
import type { Checkpoint, Mission } from "../../../schemas.ts";
import { isEnforced } from "../../../state/checkpoints.ts";

export type DeskTarget =
  | { checkpoint: Checkpoint; mission?: never }
  | { mission: Mission; checkpoint?: never };

const HOUR_MS = 3_600_000;

/** The id of a target; an entry of the queue has that of its mission. */
export const targetId = ({ checkpoint, mission }: DeskTarget): string =>
  mission?.mission_id ?? checkpoint?.checkpoint_id ?? "";

const isOn = ({ starts_at, ends_at }: Mission, at: number): boolean =>
  Date.parse(starts_at) - HOUR_MS <= at && at < Date.parse(ends_at);

/**
 * What players can be checked in at: missions that are on, or begin within an hour, then the checkpoint, then other missions
 * that are not closed, the nearest first.
 * @param at milliseconds since 1970
 */
export const targetsOf = (
  checkpoint: Checkpoint | null,
  missions: readonly Mission[],
  at: number,
): DeskTarget[] => {
  const distance = ({ starts_at }: Mission): number => Math.abs(Date.parse(starts_at) - at);
  const open = missions
    .filter(({ attendance, draft, closed_at, complete }) =>
      [attendance === "desk", draft !== true, closed_at === null, complete !== false].every(Boolean),
    )
    .toSorted((one, other) => distance(one) - distance(other))
    .map((mission): DeskTarget => ({ mission }));
  const isNow = ({ mission }: DeskTarget): boolean => mission !== undefined && isOn(mission, at);
  return [
    ...open.filter(isNow),
    ...(checkpoint === null || isEnforced(checkpoint) ? [] : [{ checkpoint }]),
    ...open.filter((one) => !isNow(one)),
  ];
};
