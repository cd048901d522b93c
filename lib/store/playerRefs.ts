/** References to players: public ids for links and pictures, which do not reveal the account's id (decision 61). */
import { sha256 } from "../runtime/sha256.ts";

/** 132 bits: nobody finds an id to a reference, or two ids with the same one. */
const LENGTH = 22;

/** The reference of a player. It stays the same as long as the account exists. */
export const playerRef = (playerId: string): string => sha256(`player_ref ${playerId}`).slice(0, LENGTH);

/** Whether a text has the form of a reference. */
export const isPlayerRef = (text: string): boolean => /^[\w-]{22}$/.test(text);

/** The hash by which a picture is addressed. It depends on the bytes alone. */
export const pictureHash = (bytes: Uint8Array): string => sha256(bytes).slice(0, LENGTH);

/** The path of a player's picture; `null` without a picture. */
export const picturePath = (playerId: string, hash: string | null): string | null =>
  hash === null ? null : `/pictures/${playerRef(playerId)}.${hash}`;
