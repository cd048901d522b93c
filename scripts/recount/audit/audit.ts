/**
 * Audits the table: compares data that is stored redundantly. It is pure: it takes a survey and returns the
 * differences, and the writes that would repair them.
 */
import { byCounter, COUNTERS, counterOf, STATE_NAMES } from "../../../lib/domain/players/states.ts";
import type { Write } from "../../../lib/dynamodb/database.ts";
import { type Counts, interactionItem } from "../../../lib/store/items.ts";
import { keys } from "../../../lib/store/keys.ts";
import {
  addressDifferences,
  disputeDifferences,
  orphanDifferences,
  subscriptionDifferences,
} from "./belongings.ts";
import { type Difference, expectAsRead } from "./difference.ts";
import { missionDifferences } from "./missions.ts";
import { lastInfectionOf, playerDifferences } from "./players.ts";
import { redeemingDifferences } from "./rewards.ts";
import { repairInteraction, type Survey } from "./survey.ts";

const countOf = (survey: Survey): Counts => {
  const counts = byCounter(STATE_NAMES, () => 0);
  for (const { player } of survey.players.values()) {
    counts[counterOf(player.state)] += 1;
  }
  return counts;
};

const counterDifferences = (survey: Survey): Difference[] => {
  const counted = countOf(survey);
  const slots = [...survey.counters.values()];
  const kept = (name: keyof Counts): number => slots.reduce((sum, { counts }) => sum + counts[name], 0);
  const wrong = COUNTERS.filter((name) => kept(name) !== counted[name]);
  if (wrong.length === 0) return [];
  const key = keys.count(0, 0);
  const first = survey.counters.get(key.sk);
  const by = Object.fromEntries(wrong.map((name) => [name, counted[name] - kept(name)]));
  const expect = first === undefined ? "absent" : expectAsRead(first.item, COUNTERS);
  // The state of an unreadable player is unknown.
  const isKnown =
    survey.unreadable.size === 0 &&
    !survey.differences.some(({ kind, key: { pk } }) => kind === "unreadable" && pk.startsWith("COUNT#"));
  const repair: Write[] | null = isKnown ? [{ increase: key, by, expect }] : null;
  return wrong.map((name) => ({
    kind: "counter",
    which: name,
    key,
    is: `${kept(name)}`,
    should: `${counted[name]}`,
    repair,
  }));
};

const parentDifferences = (survey: Survey): Difference[] =>
  [...survey.infections.values()].flatMap(({ item, interaction, shard }) => {
    const { interaction_id: id, kind, actor, parent = null } = interaction;
    if (kind !== "hunt" || actor === null) return [];
    const parentOf = parent === null ? undefined : survey.infections.get(parent)?.interaction.target;
    if (parentOf === actor) return [];
    const right = survey.interactionsUnreadable ? null : lastInfectionOf(survey, actor, id);
    const repair: Write[] | null =
      right === null
        ? null
        : [repairInteraction(item, interactionItem({ ...interaction, parent: right }, shard))];
    const is =
      parent === null
        ? "none"
        : parentOf === undefined
          ? `${parent}, which does not exist`
          : `${parent} of ${parentOf}`;
    const should = right ?? "the hunter's infection, but none is recorded";
    const key = { pk: item.pk, sk: item.sk };
    return [{ kind: "parent" as const, which: `hunt ${id}`, key, is, should, repair }];
  });

const roleDifferences = (survey: Survey): Difference[] => {
  const read = survey.administrators?.administrators;
  const holders = (role: "is_admin" | "is_moderator"): string[] =>
    [...survey.players.values()]
      .filter(({ player }) => player[role])
      .map(({ player }) => player.player_id)
      .sort();
  const right = { ids: holders("is_admin"), moderators: holders("is_moderator") };
  const aliasOf = (id: string): string => survey.players.get(id)?.player.alias ?? id;
  const aliasesOf = (ids: readonly string[]): string => ids.map(aliasOf).join(", ") || "none";
  const put = { ...keys.administrators, ...read, ...right, rev: (read?.rev ?? 0) + 1 };
  const expect = read === undefined ? "absent" : { rev: read.rev };
  const isKnown =
    survey.unreadable.size === 0 &&
    !survey.differences.some(
      ({ kind, key: { sk } }) => kind === "unreadable" && sk === keys.administrators.sk,
    );
  const repair: Write[] | null = isKnown ? [{ put, expect }] : null;
  const sets = [
    ["administrator", read?.ids ?? [], right.ids],
    ["moderator", read?.moderators ?? [], right.moderators],
  ] as const;
  return sets
    .filter(([, kept, wanted]) => JSON.stringify(kept.toSorted()) !== JSON.stringify(wanted))
    .map(([role, kept, wanted]) => ({
      kind: "administrators",
      which: `players with ${role} rights`,
      key: keys.administrators,
      is: aliasesOf(kept),
      should: aliasesOf(wanted),
      repair,
    }));
};

/** Returns all differences in a survey. */
export const differencesOf = (survey: Survey): Difference[] => [
  ...survey.differences,
  ...counterDifferences(survey),
  ...playerDifferences(survey),
  ...parentDifferences(survey),
  ...roleDifferences(survey),
  ...orphanDifferences(survey),
  ...addressDifferences(survey),
  ...disputeDifferences(survey),
  ...subscriptionDifferences(survey),
  ...redeemingDifferences(survey),
  ...missionDifferences(survey),
];
