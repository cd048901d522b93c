/** Audits items that belong to a player: pictures, notes, secrets and subscriptions. */
import {
  MAX_SUBSCRIPTIONS,
  type Subscription,
  subscriptionsToReplace,
} from "../../../lib/domain/notifications/push.ts";
import type { StoredItem, Write } from "../../../lib/dynamodb/database.ts";
import type { Key } from "../../../lib/dynamodb/key.ts";
import { emailGuard } from "../../../lib/store/accounts/emails.ts";
import { keys, subscriptionsList } from "../../../lib/store/keys.ts";
import { confirmedGuard } from "../../../lib/store/mail/mailAccounts.ts";
import {
  endpointHash,
  subscriptionItem,
  unsubscribeWrites,
} from "../../../lib/store/notifications/subscriptions.ts";
import { type Difference, expectAsRead, findWrongIndexKeys, INDEX_ATTRIBUTES, keyOf } from "./difference.ts";
import { isMissingPlayer } from "./players.ts";
import type { Survey } from "./survey.ts";

/** The difference for an item without owner; its repair removes the item if the owner still does not exist. */
const orphanDifference = (
  kind: Difference["kind"],
  owner: string,
  key: Key,
  removals: readonly Write[],
): Difference => ({
  kind,
  which: `${key.pk} ${key.sk}`,
  key,
  is: `of ${owner}, who does not exist`,
  should: "absent",
  repair: [{ check: keys.player(owner), expect: "absent" }, ...removals],
});

/**
 * Returns the disputes whose status contradicts their hunts: whether the hunt is void, or its `dispute` field. A game
 * master must decide what is right.
 */
export const disputeDifferences = ({
  disputes,
  infections,
  interactionsUnreadable,
}: Survey): Difference[] => {
  const marked = new Set(disputes.map(({ dispute }) => dispute.dispute_id));
  const unmatched = [...infections.values()]
    .filter(({ interaction: { dispute, interaction_id: id } }) => dispute !== undefined && !marked.has(id))
    .map(({ item, interaction }) => ({
      id: interaction.interaction_id,
      item,
      is: "missing",
      should: interaction.dispute,
    }));
  const wrong = disputes.flatMap(({ item, dispute: { dispute_id: id, status } }) => {
    const hunt = infections.get(id)?.interaction;
    if (hunt === undefined)
      return interactionsUnreadable ? [] : [{ id, item, is: status, should: "none: there is no such hunt" }];
    const should = hunt.voided_by === undefined ? hunt.dispute : "void";
    return status === should ? [] : [{ id, item, is: status, should }];
  });
  return [...unmatched, ...wrong].map(({ id, item, is, should }) => ({
    kind: "dispute",
    which: id,
    key: keyOf(item),
    is,
    should: should ?? "none: the hunt is not marked",
    repair: null,
  }));
};

/** Returns the pictures, notes and secrets of players who do not exist. */
export const orphanDifferences = (survey: Survey): Difference[] => {
  const remains: { kind: Difference["kind"]; owner: string; key: Key }[] = [
    ...[...survey.pictures].map(([owner, item]) => ({ kind: "picture" as const, owner, key: keyOf(item) })),
    ...survey.notes.map(({ owner, key }) => ({ kind: "note" as const, owner, key })),
    ...survey.secrets.map(({ item, owner }) => ({ kind: "secret" as const, owner, key: keyOf(item) })),
  ];
  return remains
    .filter(({ owner }) => isMissingPlayer(survey, owner))
    .map(({ kind, owner, key }) => orphanDifference(kind, owner, key, [{ remove: key }]));
};

/** The guards whose players have another address, or do not exist. */
const unownedGuards = (survey: Survey): Difference[] =>
  survey.addresses.flatMap(({ item, owner }) => {
    const key = keyOf(item);
    const removal: Write = { remove: key, expect: { is: { player_id: owner } } };
    if (isMissingPlayer(survey, owner)) return [orphanDifference("address guard", owner, key, [removal])];
    const player = survey.players.get(owner)?.player;
    if (player === undefined) return [];
    if ([emailGuard(player), confirmedGuard(player)].some((guard) => guard?.pk === key.pk)) return [];
    const is = `of ${player.alias}, who has another address`;
    const repair: Write[] = [{ check: keys.player(owner), expect: { rev: player.rev } }, removal];
    return [{ kind: "address guard", which: key.pk, key, is, should: "absent", repair }];
  });

/** The player's guard of a confirmed address that does not exist, or is another account's. */
const missingGuards = (survey: Survey): Difference[] => {
  const owners = new Map(survey.addresses.map(({ item, owner }) => [item.pk, owner]));
  return [...survey.players.values()].flatMap(({ player }) => {
    const guard = confirmedGuard(player);
    if (guard === null || owners.get(guard.pk) === player.player_id) return [];
    const key = keyOf(guard);
    const owner = owners.get(guard.pk);
    const repair: Write[] = [
      { check: keys.player(player.player_id), expect: { rev: player.rev } },
      { put: guard, expect: "absent" },
    ];
    return [
      {
        ...({ kind: "address guard", which: guard.pk, key, should: `of ${player.alias}` } as const),
        is: owner === undefined ? "absent" : `of ${owner}`,
        // Two accounts that have confirmed one address: a game master must decide.
        repair: owner === undefined ? repair : null,
      },
    ];
  });
};

/**
 * Returns the guards of e-mail addresses that their players do not have, and the missing ones of confirmed addresses. Others
 * may be missing.
 */
export const addressDifferences = (survey: Survey): Difference[] => [
  ...unownedGuards(survey),
  ...missingGuards(survey),
];

/** An index entry keeps the shard that it was written to. */
const shardOf = ({ gsi1pk }: StoredItem): number => {
  const [, shard] = /#(\d+)$/.exec(String(gsi1pk)) ?? [];
  return shard !== undefined && gsi1pk === subscriptionsList(Number(shard)) ? Number(shard) : 0;
};

const sameGuard = (guard: { player_id: string; subscription_id: string }, one: Subscription): boolean =>
  guard.player_id === one.player_id && guard.subscription_id === one.subscription_id;

const auditSubscription = (
  survey: Survey,
  { item, subscription }: Survey["subscriptions"][number],
  all: ReadonlySet<string>,
): Difference[] => {
  const { player_id: owner, subscription_id: id, endpoint } = subscription;
  const key = keyOf(item);
  const which = `${id} of ${survey.players.get(owner)?.player.alias ?? owner}`;
  const guardKey = keys.endpoint(endpointHash(endpoint));
  const guard = survey.endpoints.get(guardKey.pk)?.guard;
  if (isMissingPlayer(survey, owner)) {
    const both = guard !== undefined && sameGuard(guard, subscription);
    const removals = both
      ? unsubscribeWrites([subscription])
      : [{ remove: key, expect: { is: { subscription_id: id } } }];
    return [orphanDifference("subscription", owner, key, removals)];
  }
  const right = subscriptionItem(subscription, shardOf(item));
  if (right.pk !== item.pk || right.sk !== item.sk) {
    const should = `${right.pk} ${right.sk}`;
    return [{ kind: "subscription", which, key, is: `${item.pk} ${item.sk}`, should, repair: null }];
  }
  const wrong = findWrongIndexKeys(item, right);
  const place: Difference[] =
    wrong === null
      ? []
      : [
          {
            kind: "list entry",
            which: `subscription ${which}`,
            key,
            ...wrong,
            repair: [{ put: right, expect: expectAsRead(item, INDEX_ATTRIBUTES) }],
          },
        ];
  if (guard !== undefined && sameGuard(guard, subscription)) return place;
  const still: Write = { check: key, expect: { is: { subscription_id: id } } };
  const put = { ...guardKey, player_id: owner, subscription_id: id };
  if (guard === undefined) {
    const repair: Write[] = [still, { put, expect: "absent" }];
    const missing = { is: "missing", should: `of ${which}`, repair };
    return [...place, { kind: "endpoint guard", which: guardKey.pk, key: guardKey, ...missing }];
  }
  const is = `of ${guard.player_id}, ${guard.subscription_id}`;
  const { player_id, subscription_id } = guard;
  const unmovedGuard = { is: { player_id, subscription_id } };
  // The guard decides who owns an endpoint. If it refers to no subscription, the owner of this one owns the endpoint.
  if (all.has(JSON.stringify([player_id, subscription_id, guardKey.pk]))) {
    const repair: Write[] = [
      { check: guardKey, expect: unmovedGuard },
      { remove: key, expect: { is: { subscription_id: id } } },
    ];
    return [
      { kind: "subscription", which, key, is: "of another player's endpoint", should: "absent", repair },
    ];
  }
  const repair: Write[] = [still, { put, expect: unmovedGuard }];
  return [
    ...place,
    { kind: "endpoint guard", which: guardKey.pk, key: guardKey, is, should: `of ${which}`, repair },
  ];
};

/** Returns the endpoint guards without a subscription. */
const orphanedEndpoints = (survey: Survey): Difference[] => {
  const guarded = new Set(
    survey.subscriptions.map(({ subscription }) => keys.endpoint(endpointHash(subscription.endpoint)).pk),
  );
  return [...survey.endpoints.values()].flatMap(({ item, guard }) => {
    const { player_id, subscription_id } = guard;
    if (guarded.has(item.pk)) return [];
    const [, hash = ""] = item.pk.split("ENDPOINT#");
    const key = keyOf(item);
    const repair: Write[] = [
      { check: keys.subscription(player_id, hash), expect: "absent" },
      { remove: key, expect: { is: { player_id, subscription_id } } },
    ];
    const is = `of ${player_id}, ${subscription_id}, which does not exist`;
    return [{ kind: "endpoint guard" as const, which: item.pk, key, is, should: "absent", repair }];
  });
};

const tooMany = (survey: Survey): Difference[] => {
  const readable = survey.subscriptions.map(({ subscription }) => subscription);
  const byPlayer = Map.groupBy(readable, ({ player_id }) => player_id);
  return [...byPlayer].flatMap(([owner, own]) => {
    const alias = survey.players.get(owner)?.player.alias;
    if (own.length <= MAX_SUBSCRIPTIONS || alias === undefined) return [];
    // `subscriptionsToReplace` also makes room for a new subscription, which is not needed here.
    const oldest = subscriptionsToReplace(own).slice(0, own.length - MAX_SUBSCRIPTIONS);
    const is = `${own.length}`;
    const should = `at most ${MAX_SUBSCRIPTIONS}, without the oldest`;
    const key = keys.subscription(owner, "");
    return [
      { kind: "subscription" as const, which: alias, key, is, should, repair: unsubscribeWrites(oldest) },
    ];
  });
};

/** Returns all differences of subscriptions and endpoint guards. */
export const subscriptionDifferences = (survey: Survey): Difference[] => {
  const all = new Set(
    survey.subscriptions.map(({ subscription: { player_id, subscription_id, endpoint } }) =>
      JSON.stringify([player_id, subscription_id, keys.endpoint(endpointHash(endpoint)).pk]),
    ),
  );
  return [
    ...survey.subscriptions.flatMap((one) => auditSubscription(survey, one, all)),
    ...orphanedEndpoints(survey),
    ...tooMany(survey),
  ];
};
