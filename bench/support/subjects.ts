/** Whose hunt and whose own view are measured: ours, and those of the peers. */
import { join } from "node:path";
import { type Bundle, bundle, plainBundle } from "./bundle.ts";

export const SUBJECTS = ["ours", "floor", "express"] as const;
export type Subject = (typeof SUBJECTS)[number];

export const KINDS = ["hunt", "player"] as const;
export type Kind = (typeof KINDS)[number];

/** The file of each handler; of an application it is one and the same. */
const SOURCES: Record<Subject, Record<Kind, string>> = {
  ours: { hunt: "functions/zombie/hunt.ts", player: "functions/player/player.ts" },
  floor: { hunt: "bench/peers/floorHunt.ts", player: "bench/peers/floorPlayer.ts" },
  express: { hunt: "bench/peers/express.ts", player: "bench/peers/express.ts" },
};

/**
 * The bundle of each subject for a kind of request: ours as it is deployed, the peers' as whoever writes them would
 * make it.
 */
export const bundlesOf = async (kind: Kind, scratch: string): Promise<Record<Subject, Bundle>> => {
  const made = (subject: Subject): Promise<Bundle> => {
    const how = subject === "ours" ? bundle : plainBundle;
    return how(SOURCES[subject][kind], join(scratch, kind, subject));
  };
  const [ours, floor, express] = await Promise.all([made("ours"), made("floor"), made("express")]);
  return { ours, floor, express };
};

/** The floor in a bundle like ours: what is over it then is our code alone. */
export const floorLikeOurs = (kind: Kind, scratch: string): Promise<Bundle> =>
  bundle(SOURCES.floor[kind], join(scratch, kind, "floor like ours"));
