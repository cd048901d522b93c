/** Formats the result of a recount as text or JSON. */
import { formatCount } from "../cli/format.ts";
import type { Difference } from "./audit/difference.ts";
import type { Recount } from "./recount.ts";

const status = ({ repair, repaired }: Recount["differences"][number], fix: boolean): string => {
  if (repaired) return "repaired";
  if (repair === null) return "cannot be repaired automatically";
  return fix ? "has changed, not repaired: try again" : "can be repaired";
};

const lines = ({ kind, which, is, should }: Difference, end: string): string[] => [
  `${kind} · ${which}: ${end}`,
  `  is         ${is}`,
  `  should be  ${should}`,
];

/** Summarizes the result and what is left to do. */
const summary = ({ items, differences, unstable }: Recount, fix: boolean): string => {
  const repaired = differences.filter((one) => one.repaired).length;
  const left = differences.length - repaired;
  const read = `${formatCount(items, "item")} read`;
  if (differences.length === 0 && unstable.length === 0) return `${read}: no difference.`;
  const repairable = differences.some(({ repair, repaired: done }) => repair !== null && !done);
  return [
    `${read}: ${formatCount(differences.length, "difference")}`,
    ...(repaired > 0 ? [`, ${repaired} repaired`] : []),
    ...(left > 0 && fix ? [`, ${left} left`] : []),
    ".",
    ...(repairable && !fix ? [" Repair them with --fix."] : []),
    ...(unstable.length > 0
      ? [
          ` ${formatCount(unstable.length, "value")} changed during the recount: repeat it when the game is quieter.`,
        ]
      : []),
  ].join("");
};

/** Formats the result as text. */
export const formatReport = (recount: Recount, fix: boolean): string =>
  [
    ...recount.differences.flatMap((one) => lines(one, status(one, fix))),
    ...recount.unstable.flatMap((one) => lines(one, "changes with the game")),
    summary(recount, fix),
  ].join("\n");

/** Formats the result as JSON. */
export const formatReportJson = ({ items, differences, unstable }: Recount): string => {
  const toJson = ({ kind, which, key, is, should, repair }: Difference) => ({
    kind,
    which,
    pk: key.pk,
    sk: key.sk,
    is,
    should,
    mendable: repair !== null,
  });
  return JSON.stringify(
    {
      items,
      differences: differences.map((one) => ({ ...toJson(one), mended: one.repaired })),
      moving: unstable.map(toJson),
    },
    null,
    2,
  );
};

/** Whether no differences are left. */
export const isClean = ({ differences, unstable }: Recount): boolean =>
  unstable.length === 0 && differences.every(({ repaired }) => repaired);
