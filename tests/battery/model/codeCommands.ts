/** Commands about codes in the model's game. */
import { DAY, HOUR, MINUTE, rfc3339 } from "../../../lib/domain/time.ts";
import { UNKNOWN_CODE } from "./codes.ts";
import { inState } from "./game.ts";
import { makeHuntPossible, spellTime } from "./gameCommands.ts";
import type { Batch, Event, Model } from "./state.ts";
import type { Actions, Turn } from "./turn.ts";

const MEDIC = { name: "Medic", symbol: "✚" };
const SCOUT = { name: "Scout", symbol: "🧭" };

/** What codes give, mostly one thing. */
export const effectIn = (t: Turn): Batch["effect"] => {
  const food = { feed_seconds: t.pick([3_600, 60, 86_400, 400_000]) };
  const points = { points: t.pick([1, 5]) };
  const badge = { badge: t.pick([MEDIC, SCOUT]) };
  return t.pick<Batch["effect"]>([
    { cure: true },
    food,
    points,
    badge,
    { ...food, ...points, ...badge },
    { cure: true, ...points },
    { message: "Look behind the shelf." },
  ]);
};

function* createCodes(t: Turn): Actions {
  const { now } = t.m;
  return yield* t.master("create_codes", {
    ...{ label: "Crates", n: t.pick([1, 2, 3]), effect: effectIn(t) },
    ...{
      audience: t.pick(["all", "zombies", "humans"]),
      uses: t.pick([1, 2, 9]),
      uses_per_player: t.pick([1, 2]),
    },
    ...t.maybe(15, { valid_from: rfc3339(now + t.pick([0, 1, HOUR])) }),
    ...t.maybe(20, { valid_until: rfc3339(now + t.pick([DAY, 2 * HOUR, HOUR + 1])) }),
  });
}

const isUsable = ({ codes, uses }: Batch): boolean =>
  codes.some(({ used, isRevoked }) => used < uses && !isRevoked);

/** A code, mostly of a batch that gives something to this side; rarely one that does not exist or is mistyped. */
const codeFor = (t: Turn, side: "humans" | "zombies"): string => {
  const fitting = t.m.batches.filter((one) => isUsable(one) && ["all", side].includes(one.audience));
  const batch = t.maybeOne(t.chance(85) ? fitting : t.m.batches);
  const code = t.maybeOne(batch?.codes ?? [])?.code;
  if (code === undefined || t.chance(4)) return UNKNOWN_CODE;
  if (t.chance(4)) return `${code.slice(0, -1)}${code.endsWith("2") ? "3" : "2"}`;
  return t.pick([code, code.toLowerCase(), ` ${code.slice(0, 5)} - ${code.slice(5)}`]);
};

/** Somebody redeems a code, sometimes one that was entered before, without a network; often somebody again. */
export function* redeem(t: Turn): Actions {
  const { m } = t;
  yield* makeHuntPossible(t);
  if (!m.batches.some(isUsable) || t.chance(20)) yield* createCodes(t);
  const side = t.pick(["zombies", "zombies", "humans"]);
  const tagged = inState(m, "zombie").filter(({ infected_by }) => infected_by !== null);
  const starved = m.players.filter(({ unrecorded }) => unrecorded !== null);
  const players = side === "humans" ? inState(m, "human") : t.chance(50) ? tagged : inState(m, "zombie");
  const player = t.prefer(t.chance(20) && starved.length > 0 ? starved : players, m.players);
  const earlier = m.now - t.pick([1, MINUTE, HOUR, 5 * HOUR, 7 * HOUR]);
  const ended = (player.unrecorded ?? earlier) - t.pick([1, 0, MINUTE]);
  const redeemed_at = spellTime(t, player.unrecorded === null ? earlier : ended);
  const body = { code: codeFor(t, side), ...t.maybe(player.unrecorded === null ? 30 : 80, { redeemed_at }) };
  const done = yield* t.by(player, "POST /player/redeem/{url_id}", body);
  if (!t.chance(20)) return done;
  return yield* t.by(t.chance(50) ? player : t.one(m.players), "POST /player/redeem/{url_id}", body);
}

const redeemed = ({ record }: Model): Event[] =>
  record.filter(({ kind, reward, voided_by }) => {
    return reward?.source === "code" && voided_by === null && ["cure", "feed", "reward"].includes(kind);
  });

/** A game master undoes a redemption, mostly one of the last; sometimes after a dry run. */
export function* undoRedemption(t: Turn): Actions {
  if (redeemed(t.m).length === 0) yield* redeem(t);
  const event = t.prefer(redeemed(t.m).slice(-4), t.m.record);
  const body = { redemption_id: event.id, ...t.maybe(50, { reason: "It was photographed." }) };
  if (t.chance(30)) {
    const done = yield* t.master("undo_redemption", { ...body, dry_run: true });
    if (!done || t.chance(30)) return done;
  }
  return yield* t.master("undo_redemption", body);
}

/** A game master revokes a code or a batch. */
export function* revokeCodes(t: Turn): Actions {
  if (t.m.batches.length === 0) yield* createCodes(t);
  const batch = t.maybeOne(t.m.batches.filter(isUsable)) ?? t.maybeOne(t.m.batches);
  const batch_id = batch?.id ?? "01900000-0000-7000-8000-000000000000";
  const code = t.maybeOne(batch?.codes ?? [])?.code ?? UNKNOWN_CODE;
  return yield* t.master("revoke_codes", { batch_id, ...t.maybe(60, { code }) });
}
