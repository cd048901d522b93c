/** The missions as game masters and moderators see them, as last read, also without a network. */
import { useEffect } from "preact/hooks";
import { followMissions, loadMissions, missions } from "../../../state/missions.ts";
import { changeCount } from "../../changes.ts";

/** How often a page with an open desk reads again, in milliseconds. */
export const DESK_POLL_MS = 15_000;

/** Returns the missions as last read. Reads them when the page opens, after each command, and every so often. */
export const useStaffMissions = (pollMs: number | null = null) => {
  const changesSeen = changeCount.value;
  useEffect(followMissions, []);
  useEffect(() => void loadMissions(), [changesSeen]);
  useEffect(() => {
    if (pollMs === null) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void loadMissions();
    }, pollMs);
    return () => clearInterval(timer);
  }, [pollMs]);
  return missions.value;
};
