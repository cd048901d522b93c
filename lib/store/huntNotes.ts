/**
 * Annotations: the note and the place of a hunt. They are its hunter's own words and whereabouts, so they lie with
 * the hunter and go when the hunter goes; the interaction only says that there are some.
 */
import * as z from "zod/mini";
import type { Interaction } from "../domain/interaction.ts";
import { optionalNumber, optionalText, text } from "../domain/schemas.ts";
import type { Database, Item, Range, StoredItem } from "../dynamodb/database.ts";
import type { Key } from "../dynamodb/key.ts";
import { keys } from "./keys.ts";

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
export const splitNotes = (
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
export const withNotes = async (
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

/** Where the annotations of a player are. */
export const notesRange = (playerId: string): Range => {
  const { pk, sk } = keys.annotation(playerId, "");
  return { pk, after: sk, before: `${sk}~` };
};
