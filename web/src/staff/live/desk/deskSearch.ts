/** Finds the players whom a text at the desk may mean. */
import { foldedMatcher, foldText } from "../../../state/search.ts";
import type { StaffPlayer } from "../../calls.ts";

/** The part of a tag code that a text can be, as codes are stored. */
const codePart = (text: string): string => text.toUpperCase().replaceAll(/[\s-]/g, "");
const MIN_CODE_PART = 3;

/**
 * The players whom a text may mean: those whose alias or code it is, or else those with it as a part of alias, name or
 * code. Helpers know only the codes that the service shows them.
 */
export const playersMeant = (
  text: string,
  players: readonly { player: StaffPlayer; text: string }[],
): StaffPlayer[] => {
  const part = codePart(text);
  const isMatch = foldedMatcher(text);
  const whole = foldText(text).trim();
  const found = players.filter(
    ({ player: { tag_code }, text: known }) =>
      isMatch(known) || (part.length >= MIN_CODE_PART && tag_code?.includes(part) === true),
  );
  const exact = found.filter(
    ({ player }) =>
      foldText(player.alias) === whole || (player.tag_code !== null && player.tag_code === part),
  );
  return (exact.length > 0 ? exact : found).map(({ player }) => player);
};
