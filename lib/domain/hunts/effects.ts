/** What a void, or taking back a reward, can change for a player. Views name the effects without the rules behind them. */

/** The effects that it can have on a player. */
export const EFFECTS = [
  /** The prey is human, with a new tag code. */
  "human_again",
  /** The hunter has one kill fewer. */
  "kill_taken_back",
  /** The feeding is removed, and the deadline is what it would be without it. */
  "meal_taken_back",
  /** The feeding is not stored any more, so the deadline stays. */
  "meal_kept",
  /** Without the feeding, the player has starved. */
  "starved",
  /** The player was infected by the prey and stays a zombie. */
  "stays_zombie",
  /** An antidote is taken back. */
  "zombie_again",
  "points_taken_back",
  "badge_taken_back",
  /** The player was revived or cured in the meantime, or has left the game. */
  "unchanged",
] as const;
