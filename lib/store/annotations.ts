/**
 * Annotations: the note and the place of a hunt. They are its hunter's own words and whereabouts, so they lie with
 * the hunter and go when the hunter goes; the interaction only says that there are some.
 */
import * as z from "zod/mini";
import { batchesOf } from "../domain/batches.ts";
import type { Interaction } from "../domain/interaction.ts";
import { optionalNumber, optionalText, text } from "../domain/shapes.ts";
import type { Database, Item, StoredItem, Write } from "./database.ts";
import { reading, UNAVAILABLE } from "./decide.ts";
import { type Key, keys } from "./keys.ts";
import type { Store } from "./store.ts";

const Annotation = z.lazy(() =>
  z.object({
    sk: text,
    note: optionalText,
    latitude: optionalNumber,
    longitude: optionalNumber,
  }),
);

const annotationOf = ({ note, latitude, longitude }: Interaction): Item =>
  Object.fromEntries(
    Object.entries({ note, latitude, longitude }).filter(([, value]) => value !== undefined),
  );

/** An interaction without its annotation, and the annotation as an item of its own, where it has one. */
export const apart = (
  interaction: Interaction,
): { interaction: Interaction; annotation: StoredItem | null } => {
  const annotation = annotationOf(interaction);
  const { note: _, latitude: _1, longitude: _2, ...bare } = interaction;
  const { actor, interaction_id: id } = bare;
  if (Object.keys(annotation).length === 0 || actor === null) return { interaction: bare, annotation: null };
  return {
    interaction: { ...bare, annotated: true },
    annotation: { ...keys.annotation(actor, id), ...annotation },
  };
};

const keyOf = ({ actor, annotated, interaction_id: id }: Interaction): Key[] =>
  annotated === true && actor !== null ? [keys.annotation(actor, id)] : [];

/** Interactions, with the annotations that are still there and that the reader is privy to. */
export const withAnnotations = async (
  db: Database,
  interactions: readonly Interaction[],
  isPrivy: (interaction: Interaction) => boolean,
): Promise<Interaction[]> => {
  const wanted = interactions.filter(isPrivy).flatMap(keyOf);
  if (wanted.length === 0) return [...interactions];
  const found = await db.getMany(wanted, { consistent: false });
  const bySk = new Map(found.map((item) => [item.sk, Annotation.parse(item)]));
  return interactions.map((interaction) => {
    const [key] = keyOf(interaction);
    const { sk: _, ...annotation } = bySk.get(key?.sk ?? "") ?? { sk: "" };
    return { ...interaction, ...annotation };
  });
};

/** So many are looked up at a time. */
const PAGE = 500;

/** One transaction takes so many removals beside what else a deletion removes. */
const AT_ONCE = 50;

/** Time kept for the account itself, in milliseconds. */
const RESERVE = 3_000;

/** How long removing may take, and who is to hear that it is much. */
export interface Effort {
  timeLeft: () => number;
  /** Called before the first of several transactions. */
  onMany?: (() => Promise<void>) | undefined;
}

/**
 * The writes that remove every annotation of a player; when there are many, all but the last of them are removed
 * right away. A hunt that comes meanwhile moves the player, so that whoever removes them reads again.
 * @throws Refusal `unavailable` when time runs out; what is removed by then stays so
 */
export const annotationsRemoved = async (
  { db, commit }: Store,
  playerId: string,
  { timeLeft, onMany }: Effort,
): Promise<Write[]> => {
  const { pk, sk } = keys.annotation(playerId, "");
  const range = { pk, after: sk, before: `${sk}~`, consistent: true };
  for (let isFirst = true; ; isFirst = false) {
    const { items, next } = await reading(db.query(range, PAGE));
    const removals = items.map((item): Write => ({ remove: { pk: item.pk, sk: item.sk } }));
    if (next === undefined && removals.length <= AT_ONCE) return removals;
    if (isFirst) await onMany?.();
    for (const batch of batchesOf(removals, AT_ONCE)) {
      if (timeLeft() < RESERVE) throw UNAVAILABLE();
      await commit(batch, timeLeft);
    }
  }
};
