/** References to players: public ids for links and pictures, which do not reveal the account's id (decision 61). */
import { sha256 } from "../../runtime/sha256.ts";

/** 132 bits: too many to find the id of a reference, or two ids with the same reference, by trying. */
const LENGTH = 22;

/** The reference of a player. It stays the same as long as the account exists. */
export const playerRef = (playerId: string): string => sha256(`player_ref ${playerId}`).slice(0, LENGTH);

/** Whether a text has the form of a reference. */
export const isPlayerRef = (text: string): boolean => /^[\w-]{22}$/.test(text);

/** The hash in a picture's address. It depends only on the bytes of the picture. */
export const pictureHash = (bytes: Uint8Array): string => sha256(bytes).slice(0, LENGTH);

/** The path of a player's picture; `null` without a picture. */
export const picturePath = (playerId: string, hash: string | null): string | null =>
  hash === null ? null : `/pictures/${playerRef(playerId)}.${hash}`;
