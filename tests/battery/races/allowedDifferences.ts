/**
 * Allowed differences between an outcome and both serial ones. Each removes only its own facts from the comparison, and
 * is used only if no serial order explains all facts. The other facts must be those of one order.
 */
import type { Item } from "../../../lib/dynamodb/database.ts";
import type { Operation } from "./operations.ts";
import { type Facts, records } from "./outcomes.ts";
import { letterOf } from "./turns.ts";

export interface AllowedDifference {
  name: string;
  concerns: (one: Operation, other: Operation) => boolean;
  /** @param callers the callers of both operations; by default a game master for each */
  apply: (facts: Facts, callers: readonly string[]) => Facts;
}

/** Facts with some of them changed. */
const alter = (facts: Facts, change: (fact: Item, about: string) => Item): Facts =>
  Object.fromEntries(Object.entries(facts).map(([about, fact]) => [about, change(fact, about)]));

const isResponse = (about: string): boolean => about.endsWith("response");
const isLogged = (about: string): boolean => about.startsWith("log entry");

/** Facts with only some of the log entries, renumbered. */
const filterLog = (facts: Facts, isKept: (entry: Item) => boolean): Facts => {
  const kept = Object.entries(facts).filter(([about, fact]) => isLogged(about) && isKept(fact));
  return Object.fromEntries([
    ...Object.entries(facts).filter(([about]) => !isLogged(about)),
    ...kept.map(([, fact], at) => [`log entry ${at + 1}`, fact]),
  ]);
};

const ofKind = (kind: string) => (one: Operation, other: Operation) =>
  one.kind === kind || other.kind === kind;
const ofBoth = (x: string, y: string) => (one: Operation, other: Operation) =>
  ofKind(x)(one, other) && ofKind(y)(one, other);

/** Errors of a caller who was authenticated, and then removed or demoted. */
const GONE = ["token_rejected", "player_not_found", "not_administrator"];

/** The facts about a player after a run; none if it has not changed the player. */
const profileOf = (facts: Facts, name: unknown): Item | undefined => facts[`PLAYER#${name} PROFILE`];

const withoutStayingZombies = (fact: Item): Item =>
  "effects" in fact
    ? { ...fact, effects: records(fact.effects).filter(({ effect }) => effect !== "stays_zombie") }
    : fact;

/** The warnings of a finish that follow from the item of the game. */
const OF_GAME_ITEM = ["paused", "checkpoint_open"];

export const ALLOWED: readonly AllowedDifference[] = [
  {
    // A rejected operation makes its reads one after the other, without a transaction around them:
    // which of several true reasons it reports depends on what came in between. The code must still be right.
    name: "text of an error",
    concerns: () => true,
    apply: (facts) =>
      alter(facts, (fact, about) => (isResponse(about) && "code" in fact ? { ...fact, detail: "" } : fact)),
  },
  {
    // A caller who is being removed gets 404, "no such player", or 401, "not an administrator"; a later one gets 403,
    // "no such session". None of them changes anything. The log names an authenticated caller.
    name: "how a deleted player is reported",
    concerns: ofKind("delete_player"),
    apply: (facts, callers) => {
      const isGone = (name: unknown): boolean => profileOf(facts, name)?.gone === true;
      const reported = alter(facts, (fact, about) => {
        const which = [0, 1].find((one) => about === `${letterOf(one)} response`);
        const isTold = which !== undefined && isGone(callers[which]) && GONE.includes(String(fact.code));
        return isTold ? { status: 404, code: "player_not_found", detail: "" } : fact;
      });
      return filterLog(reported, ({ actor, outcome }) => !(isGone(actor) && GONE.includes(String(outcome))));
    },
  },
  {
    // Whoever is decided about twice at once becomes the player who has left, or is refused as what they were or have become.
    name: "target of a refused decision",
    concerns: ofKind("decide"),
    apply: (facts) =>
      alter(facts, (fact, about) =>
        isLogged(about) && fact.outcome === "wrong_state" ? { ...fact, target: "" } : fact,
      ),
  },
  {
    // The worker reads what decides about a mail one after the other, too. Whether it was sent must be right.
    name: "why a mail was dropped",
    concerns: ofKind("delete_player"),
    apply: (facts) =>
      alter(facts, (fact, about) =>
        about.startsWith("SECRET#OUTBOX") && fact.state === "dropped" ? { ...fact, reason: "" } : fact,
      ),
  },
  {
    // A demoted game master gets 401; one who was authenticated before that is also logged.
    name: "log entry of a former game master",
    concerns: ofKind("edit_player"),
    apply: (facts) =>
      filterLog(
        facts,
        ({ actor, outcome }) =>
          outcome !== "not_administrator" || profileOf(facts, actor)?.is_admin !== false,
      ),
  },
  {
    // Whoever leaves during an enforcement or its undo meets it on their return, as do those who left before it.
    name: "enforcement during which a player left",
    concerns: (one, other) =>
      ofBoth("delete_player", "kill_all_not_at_checkpoint")(one, other) ||
      ofBoth("delete_player", "enforce_missions")(one, other) ||
      ofBoth("delete_player", "undo_checkpoint")(one, other),
    apply: (facts) =>
      alter(facts, (fact, about) => (about.endsWith("DEPARTED") ? { ...fact, during: undefined } : fact)),
  },
  {
    // Each pass of an enforcement reads the attendance once: whoever is checked in after that was too late, although they were
    // seen alive.
    name: "attendance while missions are enforced",
    concerns: ofBoth("mission_attendance", "enforce_missions"),
    apply: (facts) =>
      alter(facts, (fact, about) => {
        if (about.includes(" ATTENDED#")) return { ...fact, side: "" };
        return isResponse(about) && "players" in fact
          ? { ...fact, players: records(fact.players).map((one) => ({ ...one, state: "" })) }
          : fact;
      }),
  },
  {
    // A change of a mission says whether its rewards are still being given.
    name: "mission whose rewards are being given",
    concerns: (one, other) =>
      ofBoth("set_mission", "close_mission")(one, other) ||
      ofBoth("set_mission", "reopen_mission")(one, other),
    apply: (facts) =>
      alter(facts, (fact, about) =>
        isResponse(about) && "briefings" in fact ? { ...fact, complete: true } : fact,
      ),
  },
  {
    // The number of zombies is read from counters outside the transaction: locking them would conflict with every
    // hunt. That all zombies get the day, or none, is still compared.
    name: "number of zombies that got a day",
    concerns: ofKind("zombies_add_day"),
    apply: (facts) =>
      alter(facts, (fact) => {
        if ("added_seconds" in fact) return { ...fact, zombies: 0 };
        return fact.action === "zombies_add_day" ? { ...fact, details: {} } : fact;
      }),
  },
  {
    // A draw counts the volunteers whom it has read. Only those who are drawn must still be what they were.
    name: "number of volunteers of a draw",
    concerns: ofKind("draw_originals"),
    apply: (facts) =>
      alter(facts, (fact) => {
        if ("volunteers" in fact) return { ...fact, volunteers: 0 };
        return fact.action === "draw_originals"
          ? { ...fact, details: { ...Object(fact.details), volunteers: 0 } }
          : fact;
      }),
  },
  {
    // The numbers of players, the open disputes and the open missions are read outside the transaction. The result is the
    // game masters' word, and does not follow from them.
    name: "what a finish reports as open",
    concerns: ofKind("finish_season"),
    apply: (facts) =>
      alter(facts, (fact, about) => {
        if (!isResponse(about) || !Array.isArray(fact.warnings)) return fact;
        const warnings = fact.warnings.filter((one) => OF_GAME_ITEM.includes(one));
        return { ...fact, warnings, counts: {}, disputes: 0, missions: [] };
      }),
  },
  {
    // A void lists the players whom the prey infected, with eventually consistent reads. It changes none of them.
    name: "players whom a void leaves unchanged",
    concerns: (one, other) => ofKind("void_hunt")(one, other) || ofKind("void_hunts")(one, other),
    apply: (facts) =>
      alter(facts, (fact) => ({
        ...withoutStayingZombies(fact),
        ...("hunts" in fact ? { hunts: records(fact.hunts).map(withoutStayingZombies) } : {}),
      })),
  },
  {
    // A sweep warns before it records deaths, and stores its progress unless another sweep did. So the next sweep may
    // repeat a warning. It has the same id, so that browsers show it once.
    name: "repeated warnings of a sweep",
    concerns: ofKind("sweep"),
    apply: (facts) =>
      Object.fromEntries(
        Object.entries(facts)
          .filter(([about]) => about !== "GAME WARNED")
          .map(([about, fact]) => [about, "warned" in fact ? { ...fact, warned: 0 } : fact]),
      ),
  },
  {
    // A job feeds many players. Its response has their aliases at its end.
    name: "alias of a fed player",
    concerns: (one, other) =>
      ofBoth("feed", "edit_player")(one, other) || ofBoth("feed", "delete_player")(one, other),
    apply: (facts) =>
      alter(facts, (fact, about) => {
        const names = records(fact.fed).map(({ alias }) => alias);
        return isResponse(about) && "fed" in fact
          ? { ...fact, count: 0, fed: names.filter((alias) => alias !== "Yan" && alias !== "Nova") }
          : fact;
      }),
  },
];

/** Errors of an operation that did nothing, because another one was running. */
const BUSY_CODES = ["busy", "in_progress"];

/** Which of the two operations had to wait for the other; -1 for neither. */
export const findBusy = (facts: Facts): number =>
  [0, 1].findIndex((which) => BUSY_CODES.includes(String(facts[`${letterOf(which)} response`]?.code)));

/** The facts without the response of one operation, and without the log of operations that had to wait. */
export const withoutOperation = (facts: Facts, which: number): Facts => {
  const { [`${letterOf(which)} response`]: _, ...rest } = facts;
  return filterLog(rest, ({ outcome }) => !BUSY_CODES.includes(String(outcome)));
};

/**
 * The facts that are compared for bulk work that reads all players several times. The players, and the response of an
 * operation in between, may be as if the work had been done completely before the operation and again after it.
 * @param which the bulk work
 */
export const ofPlayers = (facts: Facts, which: number): Facts => {
  const other = `${letterOf(1 - which)} response`;
  return Object.fromEntries(
    Object.entries(facts).filter(
      ([about]) => /^(PLAYER#|INTERACTIONS#|CODE#|counters)/.test(about) || about === other,
    ),
  );
};

/** How many kills the enforcement of a checkpoint reports, and how many are recorded. */
export const killedIn = (facts: Facts, which: number): { reported: unknown; recorded: number } => ({
  reported: facts[`${letterOf(which)} response`]?.killed,
  recorded: Object.values(facts).filter(({ kind }) => kind === "checkpoint_kill").length,
});
