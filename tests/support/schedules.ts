/** Schedules for tests. */
import type { Schedule } from "../../lib/domain/game/schedule.ts";

export const schedule = (more: Partial<Schedule> = {}): Schedule => ({
  ...{ since: 0, time_zone: "UTC", starts_at: null, ends_at: null, play_hours: null },
  ...more,
});
