/**
 * Excuses: in what an outcome may differ from both serial ones, where the contract promises no more. Each takes just
 * what it is about out of the facts, and only where no order explains all of them; the rest must be that of one order.
 */
import type { Item } from "../../../lib/store/database.ts";
import type { Deed, Kind } from "./deeds.ts";
import type { Facts } from "./outcomes.ts";

export interface Excuse {
  name: string;
  concerns: (one: Deed, other: Deed) => boolean;
  apply: (facts: Facts) => Facts;
}

const records = (list: unknown): Item[] => (Array.isArray(list) ? list : []);

/** Facts with some of them changed. */
const each = (facts: Facts, change: (fact: Item, about: string) => Item): Facts =>
  Object.fromEntries(Object.entries(facts).map(([about, fact]) => [about, change(fact, about)]));

const isAnswer = (about: string): boolean => about.endsWith("is told");
const isLogged = (about: string): boolean => about.startsWith("log entry");

const ofKind = (kind: Kind) => (one: Deed, other: Deed) => one.kind === kind || other.kind === kind;
const ofBoth = (x: Kind, y: Kind) => (one: Deed, other: Deed) =>
  ofKind(x)(one, other) && ofKind(y)(one, other);

const GONE = { status: 404, code: "player_not_found", detail: "" };

export const EXCUSES: readonly Excuse[] = [
  {
    // What a refused call has read it has read one after the other, and nothing that it writes holds that together:
    // which of several true reasons it is told depends on what came in between. The code must still be right.
    name: "the words of a refusal",
    concerns: () => true,
    apply: (facts) =>
      each(facts, (fact, about) => (isAnswer(about) && "code" in fact ? { ...fact, detail: "" } : fact)),
  },
  {
    // A call that has to be judged anew, and is refused then, is logged with whom it had found the first time.
    name: "whom the log of a refused call names",
    concerns: () => true,
    apply: (facts) =>
      each(facts, (fact, about) =>
        isLogged(about) && fact.outcome !== "done" ? { ...fact, target: null } : fact,
      ),
  },
  {
    // Who leaves with one request while another is under way is told that there is no such player, 404; a request
    // that comes later, that there is no such session, 403. Both say that they are gone, and both change nothing.
    name: "how somebody who leaves is turned away",
    concerns: ofKind("delete_player"),
    apply: (facts) => each(facts, (fact) => (fact.code === "token_rejected" ? GONE : fact)),
  },
  {
    // How many zombies get the day is added up from counters beside the write: were they locked, every hunt of the
    // whole game would meet it. That all of them get it, or none, is another matter, and not excused.
    name: "how many zombies got a day",
    concerns: ofKind("zombies_add_day"),
    apply: (facts) =>
      each(facts, (fact) => {
        if ("added_seconds" in fact) return { ...fact, zombies: 0 };
        return fact.action === "zombies_add_day" ? { ...fact, details: {} } : fact;
      }),
  },
  {
    // A void tells which of the prey's own prey it leaves alone, from an index and late reads. It changes none of them.
    name: "whom a void leaves alone",
    concerns: ofKind("void_hunt"),
    apply: (facts) =>
      each(facts, (fact) =>
        "effects" in fact
          ? { ...fact, effects: records(fact.effects).filter(({ effect }) => effect !== "stays_zombie") }
          : fact,
      ),
  },
  {
    // A sweep warns before it records deaths, and writes down how far it has come where no other has meanwhile: the
    // next sweep may give a warning again, under the name that it had, so that it shows once.
    name: "of whom a sweep warns again",
    concerns: ofKind("sweep"),
    apply: (facts) =>
      Object.fromEntries(
        Object.entries(facts)
          .filter(([about]) => about !== "GAME WARNED")
          .map(([about, fact]) => [about, "warned" in fact ? { ...fact, warned: 0 } : fact]),
      ),
  },
  {
    // A feeding of many is a job: whom it has fed stands in the job, and is told by the alias that they have at its end.
    name: "by which alias one who was fed is told of",
    concerns: (one, other) =>
      ofBoth("feed", "edit_player")(one, other) || ofBoth("feed", "delete_player")(one, other),
    apply: (facts) =>
      each(facts, (fact, about) => {
        const names = records(fact.fed).map(({ alias }) => alias);
        return isAnswer(about) && "fed" in fact
          ? { ...fact, count: 0, fed: names.filter((alias) => alias !== "Yan" && alias !== "Nova") }
          : fact;
      }),
  },
];

/** Says that somebody is at it already, and so that this call has done nothing. */
const TURNED_AWAY = ["busy", "in_progress"];

/** Which of the two was told to wait for the other; -1 for neither. */
export const turnedAway = (facts: Facts): number =>
  ["A", "B"].findIndex((letter) => TURNED_AWAY.includes(String(facts[`${letter} is told`]?.code)));

/** The facts without a call that was told to wait: what it is told, and what is logged of it. */
export const withoutCall = (facts: Facts, which: number): Facts => {
  const logged = Object.entries(facts).filter(([about]) => isLogged(about));
  const kept = logged.filter(([, { outcome }]) => !TURNED_AWAY.includes(String(outcome)));
  const others = Object.entries(facts).filter(
    ([about]) => !isLogged(about) && about !== `${"AB"[which]} is told`,
  );
  return Object.fromEntries([
    ...others.map(([about, fact]) => [isAnswer(about) ? "the other is told" : about, fact]),
    ...kept.map(([, fact], at) => [`log entry ${at + 1}`, fact]),
  ]);
};
