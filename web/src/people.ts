/** All players, as everybody may see them: for the list of players, and for faces beside names. */
import { signal } from "@preact/signals";
import { api, type PublicPlayer } from "./api.ts";

const FRESH_MS = 120_000;

/** By `player_ref`, in the order of aliases; empty before they were read. */
export const people = signal<ReadonlyMap<string, PublicPlayer>>(new Map());

let reading: Promise<void> | null = null;
let readAt = Number.NEGATIVE_INFINITY;

const readAll = async (): Promise<void> => {
  const found: PublicPlayer[] = [];
  let cursor: string | null = null;
  do {
    const query: { cursor?: string } = cursor === null ? {} : { cursor };
    const page = await api.get("/users/{url_id}", { query });
    found.push(...page.users);
    cursor = page.next_cursor;
  } while (cursor !== null);
  people.value = new Map(found.map((player) => [player.player_ref, player]));
  readAt = performance.now();
};

/** Reads the players, unless that was done just now. @throws GameError */
export const readPeople = (): Promise<void> => {
  if (performance.now() - readAt < FRESH_MS) return Promise.resolve();
  reading ??= readAll().finally(() => {
    reading = null;
  });
  return reading;
};
