/** Times in the zone of the game, which is named: beside forms that take them in that zone. */
import { snapshot } from "../../state/session.ts";
import { zonedText, zoneText } from "../../text/zoned.ts";

/** Formats a time, in RFC 3339: `Mon 23 Nov, 14:05 (Europe/Zurich)`. */
export const gameTimeText = (time: string): string => {
  const zone = snapshot.value?.game.time_zone ?? "UTC";
  return `${zonedText(time, zone)} (${zoneText(zone)})`;
};
