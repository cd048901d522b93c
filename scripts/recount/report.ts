/** What a recount says: in lines for a game master, or as JSON. */

import { formatCount } from "../cli/format.ts";
import type { Difference } from "./audit/difference.ts";
import type { Recount } from "./recount.ts";

const fate = ({ mend, mended }: Recount["differences"][number], fix: boolean): string => {
  if (mended) return "mended";
  if (mend === null) return "cannot be mended here";
  return fix ? "has moved, not mended: try again" : "can be mended";
};

const lines = ({ kind, which, is, should }: Difference, end: string): string[] => [
  `${kind} · ${which}: ${end}`,
  `  is         ${is}`,
  `  should be  ${should}`,
];

/** What is left to be said or done. */
const summary = ({ items, differences, moving }: Recount, fix: boolean): string => {
  const mended = differences.filter((one) => one.mended).length;
  const left = differences.length - mended;
  const read = `${formatCount(items, "item")} read`;
  if (differences.length === 0 && moving.length === 0) return `${read}: no difference.`;
  const mendable = differences.some(({ mend, mended: done }) => mend !== null && !done);
  return [
    `${read}: ${formatCount(differences.length, "difference")}`,
    ...(mended > 0 ? [`, ${mended} mended`] : []),
    ...(left > 0 && fix ? [`, ${left} left`] : []),
    ".",
    ...(mendable && !fix ? [" Mend what can be mended with --fix."] : []),
    ...(moving.length > 0
      ? [` ${formatCount(moving.length, "figure")} moved with the game: recount again when it is quieter.`]
      : []),
  ].join("");
};

/** The report in words. */
export const formatReport = (recount: Recount, fix: boolean): string =>
  [
    ...recount.differences.flatMap((one) => lines(one, fate(one, fix))),
    ...recount.moving.flatMap((one) => lines(one, "moves with the game")),
    summary(recount, fix),
  ].join("\n");

/** The report for machines. */
export const formatReportJson = ({ items, differences, moving }: Recount): string => {
  const told = ({ kind, which, key, is, should, mend }: Difference) => ({
    ...{ kind, which, pk: key.pk, sk: key.sk, is, should },
    mendable: mend !== null,
  });
  return JSON.stringify(
    {
      items,
      differences: differences.map((one) => ({ ...told(one), mended: one.mended })),
      moving: moving.map(told),
    },
    null,
    2,
  );
};

/** Whether the table agrees with itself now. */
export const isClean = ({ differences, moving }: Recount): boolean =>
  moving.length === 0 && differences.every(({ mended }) => mended);
