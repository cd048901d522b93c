/** The subjects of `cold` and `warm`: our handlers, and the same endpoints written with other tools (the peers). */
import { join } from "node:path";
import { type Bundle, bundle, plainBundle } from "./bundle.ts";

export const SUBJECTS = ["ours", "floor", "express"] as const;
export type Subject = (typeof SUBJECTS)[number];

export const KINDS = ["hunt", "player"] as const;
export type Kind = (typeof KINDS)[number];

/** The files of the handlers. Express has one file for both routes. */
const SOURCES: Record<Subject, Record<Kind, string>> = {
  ours: { hunt: "functions/zombie/hunt.ts", player: "functions/player/player.ts" },
  floor: { hunt: "bench/peers/floorHunt.ts", player: "bench/peers/floorPlayer.ts" },
  express: { hunt: "bench/peers/express.ts", player: "bench/peers/express.ts" },
};

/** Bundles each subject: our handlers as they are deployed, the peers in the usual way. */
export const bundlesOf = async (kind: Kind, folder: string): Promise<Record<Subject, Bundle>> => {
  const make = (subject: Subject): Promise<Bundle> =>
    (subject === "ours" ? bundle : plainBundle)(SOURCES[subject][kind], join(folder, kind, subject));
  const [ours, floor, express] = await Promise.all([make("ours"), make("floor"), make("express")]);
  return { ours, floor, express };
};
