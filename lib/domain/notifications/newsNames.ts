/** What is announced to webhooks that is no interaction. Settings and forms load this file, so it has the names alone. */
export const MISSION_NEWS = [
  "mission_revealed",
  "mission_soon",
  "mission_changed",
  "mission_result",
] as const;
export const NEWS = [...MISSION_NEWS, "season_result"] as const;
