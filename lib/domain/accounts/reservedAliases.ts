/** Aliases that are reserved for the people who run the game. */
import { plainAlias } from "./alias.ts";

/** Names that only an administrator may have, in the form of {@link bareAlias}. */
export const RESERVED_ALIASES = [
  "admin",
  "admins",
  "administrator",
  "administrators",
  "mod",
  "mods",
  "moderator",
  "moderators",
  "gamemaster",
  "gamemasters",
  "gm",
  "gms",
  "hvz",
  "humansvszombies",
  "staff",
  "official",
  "organizer",
  "organizers",
  "organiser",
  "organisers",
  "referee",
  "support",
  "system",
];

/** An alias without separators and final digits, for comparison with reserved names: `g.m. 2` becomes `gm`. */
export const bareAlias = (alias: string): string => {
  const joined = plainAlias(alias).replaceAll(/[ _.'·་-]/g, "");
  return joined.replace(/\p{Nd}+$/u, "") || joined;
};
