/**
 * Notes: the note and the place of a hunt. They are personal data of the hunter, so they are stored with the hunter and
 * removed with the account. The interaction only records that they exist (`annotated`).
 */
import * as z from "zod/mini";
import type { Interaction } from "../../domain/hunts/interaction.ts";
import { optionalNumber, optionalText, text } from "../../domain/schemas.ts";
import type { Database, Item, Range, StoredItem } from "../../dynamodb/database.ts";
import type { Key } from "../../dynamodb/key.ts";
import { keys } from "../keys.ts";

const Note = z.lazy(() =>
  z.object({
    sk: text,
    note: optionalText,
    latitude: optionalNumber,
    longitude: optionalNumber,
  }),
);

const noteFields = ({ note, latitude, longitude }: Interaction): Item =>
  Object.fromEntries(
    Object.entries({ note, latitude, longitude }).filter(([, value]) => value !== undefined),
  );

/** Splits an interaction into one without note and place, and the item that stores these; `null` if it has neither. */
export const splitNotes = (
  interaction: Interaction,
): { interaction: Interaction; noteItem: StoredItem | null } => {
  const note = noteFields(interaction);
  const { note: _, latitude: _1, longitude: _2, ...withoutNote } = interaction;
  const { actor, interaction_id: id } = withoutNote;
  if (Object.keys(note).length === 0 || actor === null) return { interaction: withoutNote, noteItem: null };
  return {
    interaction: { ...withoutNote, annotated: true },
    noteItem: { ...keys.note(actor, id), ...note },
  };
};

const keyOf = ({ actor, annotated, interaction_id: id }: Interaction): Key[] =>
  annotated === true && actor !== null ? [keys.note(actor, id)] : [];

/** Adds the notes and places that still exist. @param isVisible whether the reader may see those of an interaction */
export const withNotes = async (
  db: Database,
  interactions: readonly Interaction[],
  isVisible: (interaction: Interaction) => boolean,
): Promise<Interaction[]> => {
  const wanted = interactions.filter(isVisible).flatMap(keyOf);
  if (wanted.length === 0) return [...interactions];
  const found = await db.getMany(wanted, { consistent: false });
  const bySk = new Map(found.map((item) => [item.sk, Note.parse(item)]));
  return interactions.map((interaction) => {
    const [key] = keyOf(interaction);
    const { sk: _, ...note } = bySk.get(key?.sk ?? "") ?? { sk: "" };
    return { ...interaction, ...note };
  });
};

/** The range of a player's notes. */
export const notesRange = (playerId: string): Range => {
  const { pk, sk } = keys.note(playerId, "");
  return { pk, after: sk, before: `${sk}~` };
};
