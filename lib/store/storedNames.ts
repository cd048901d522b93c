/**
 * Names and secrets in stored responses. Personal data in a response is stored as a reference to its player, and looked up
 * when the response is sent again. So stored responses contain no personal data of deleted accounts. A secret that is shown
 * once is not stored, so a repeated response has `null` in its place.
 */
import type { Player } from "../domain/players/player.ts";
import { isRecord } from "../runtime/objects.ts";
import type { Changes } from "./changes.ts";
import type { Store } from "./store.ts";

/** Personal fields other than aliases, in a view with `player_id`. In other views, `note` is the note of a hunt. */
const PERSONAL = ["first_name", "last_name", "email", "note"] as const;
type Personal = (typeof PERSONAL)[number] | "alias";

/** Fields of any response that hold a secret that is shown once, to whoever sends the first request. */
export const SHOWN_ONCE: readonly string[] = ["secret", "token", "device_token", "recovery_code"];

/** Fields that hold an alias, or a list of aliases. */
const ALIASES = ["alias", "actor", "target", "infected_by", "shared_with", "by_alias"];

/** The players whom a response may name. */
export interface NamedPlayers {
  /** Ids by alias. */
  ids: ReadonlyMap<string, string>;
  /** By player, the id of the player who infected them. */
  infectors: ReadonlyMap<string, string>;
}

/** The players whom the response to a command may name: the caller, the changed players, and those in `aliases`. */
export const namedPlayers = (
  caller: Player | undefined,
  { players = [] }: Changes,
  aliases: ReadonlyMap<string, string> = new Map(),
): NamedPlayers => {
  const changed = players.flatMap(({ before, after }) => [before, after]).filter((one) => one !== null);
  const everyone = caller === undefined ? changed : [caller, ...changed];
  return {
    ids: new Map([
      ...everyone.map(({ player_id, alias }) => [alias, player_id] as const),
      ...[...aliases].map(([id, alias]) => [alias, id] as const),
    ]),
    infectors: new Map(
      everyone.flatMap(({ player_id, infected_by }) =>
        infected_by === null ? [] : [[player_id, infected_by] as const],
      ),
    ),
  };
};

const referenceKey = (field: Personal): `$${Personal}` => `$${field}`;

/**
 * The reference to a name; `null` for an unknown player, whose name is not stored because it could not be removed
 * later.
 */
const reference = (id: string | undefined, field: Personal): Record<string, string> | null =>
  id === undefined ? null : { [referenceKey(field)]: id };

/** Replaces every name in a response by a reference, and every secret by `null`. */
export const withoutNames = (value: unknown, named: NamedPlayers): unknown => {
  if (Array.isArray(value)) return value.map((one) => withoutNames(one, named));
  if (!isRecord(value)) return value;
  const self = typeof value.player_id === "string" ? value.player_id : undefined;
  const referenceOf = (name: string, inner: unknown): unknown => {
    if (SHOWN_ONCE.includes(name)) return null;
    if (Array.isArray(inner)) return inner.map((one) => referenceOf(name, one));
    if (typeof inner !== "string") return withoutNames(inner, named);
    const personal = PERSONAL.find((field) => field === name);
    if (personal !== undefined && self !== undefined) return reference(self, personal);
    if (!ALIASES.includes(name)) return inner;
    if (name === "alias" && self !== undefined) return reference(self, "alias");
    const infector = name === "infected_by" ? named.infectors.get(self ?? "") : undefined;
    return reference(infector ?? named.ids.get(inner), "alias");
  };
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, referenceOf(name, inner)]));
};

/** The player and the field of a reference; `null` for any other value. */
const parseReference = (value: unknown): { id: string; field: Personal } | null => {
  const [entry, ...others] = isRecord(value) ? Object.entries(value) : [];
  const field = (["alias", ...PERSONAL] as const).find((one) => referenceKey(one) === entry?.[0]);
  if (field === undefined || others.length > 0 || typeof entry?.[1] !== "string") return null;
  return { id: entry[1], field };
};

/** Replaces the references in a stored response by current names, and by `null` for deleted players. */
export const withNames = async (
  store: Store,
  body: unknown,
): Promise<{ body: unknown; isAnyDeleted: boolean }> => {
  const ids = new Set<string>();
  const collect = (value: unknown): void => {
    const id = parseReference(value)?.id;
    if (id !== undefined) ids.add(id);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
  };
  collect(body);
  const players = ids.size === 0 ? new Map<string, Player>() : await store.players(ids);
  const named = (value: unknown): unknown => {
    const one = parseReference(value);
    if (one !== null) return players.get(one.id)?.[one.field] ?? null;
    if (Array.isArray(value)) return value.map(named);
    if (!isRecord(value)) return value;
    const known = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, named(inner)]));
    // Deleted players have no public reference either.
    for (const name of ["actor", "target"]) if (known[name] === null) known[`${name}_ref`] = null;
    // Earlier versions of the service stored secrets too, for a day.
    for (const name of SHOWN_ONCE) if (name in known) known[name] = null;
    return known;
  };
  return { body: named(body), isAnyDeleted: players.size < ids.size };
};
