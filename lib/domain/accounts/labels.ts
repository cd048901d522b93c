/** Labels: words that game masters attach to players, such as `waiver` for those who have signed one. */
import { invalidRequest } from "../domainError.ts";
import type { Player } from "../players/player.ts";
import { LONGEST_FORM } from "./alias.ts";

export const LABEL_LENGTH = { min: 1, max: 32 };
export const MAX_LABELS = 20;

const WORD = /^[\p{Ll}\p{Lo}\p{M}\p{Nd}]+(?:[-_][\p{Ll}\p{Lo}\p{M}\p{Nd}]+)*$/u;

/** The form in which a label is stored and compared. */
export const normalizeLabel = (label: string): string => label.trim().toLowerCase().normalize("NFC");

/**
 * Checks a label.
 * @returns the end of a sentence that begins with the field's name; `null` for a valid label
 */
export const labelError = (input: string): string | null => {
  const { min, max } = LABEL_LENGTH;
  const label = input.length > LONGEST_FORM * max ? "" : normalizeLabel(input);
  const { length } = [...label];
  if (length < min || length > max) return `must have ${min} to ${max} characters`;
  if (WORD.test(label)) return null;
  return "must be a word of letters and digits, which - and _ may join";
};

/**
 * Adds and removes labels of a player. Labels are stored in alphabetical order.
 * @throws DomainError `invalid_request` if the player would have too many
 */
export const withLabels = <P extends Player>(
  player: P,
  add: readonly string[],
  remove: readonly string[],
): P => {
  const labels = [...new Set([...player.labels, ...add])].filter((label) => !remove.includes(label)).sort();
  if (labels.length > MAX_LABELS) {
    const message = `A player has at most ${MAX_LABELS} labels: ${player.alias} would have ${labels.length}`;
    throw invalidRequest({ path: "add", message });
  }
  return { ...player, labels };
};
