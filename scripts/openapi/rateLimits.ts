/** The table of rate limits in docs/api.md, from the constants of the service. */
import { RENAMING_INTERVAL } from "../../lib/domain/accounts/renaming.ts";
import { type Allowance, THROTTLES } from "../../lib/domain/backoff.ts";
import { durationText } from "../../lib/domain/game/settings.ts";
import { MAX_MISSES, MISS_WINDOW } from "../../lib/domain/hunts/hunt.ts";
import { HOUR, MINUTE } from "../../lib/domain/time.ts";

/** Describes a refill by the shortest of these times in which a whole number becomes available. */
const refill = ({ intervalMs }: Allowance): string => {
  const span =
    [intervalMs, MINUTE, HOUR].find((ms) => ms % 1_000 === 0 && (ms / intervalMs) % 1 === 0) ?? HOUR;
  const count = Math.round(span / intervalMs);
  return `${count === 1 ? "one" : count.toLocaleString("en")} more every ${durationText(span).replace(/^1 /, "")}`;
};

/** The rows: what is limited, of whom, how much is free, and what follows. */
const rows = (): string[][] => {
  const { backoff, newAddresses, failures, registrations, pictures, addresses, redemptions, forgotten } =
    THROTTLES;
  const { freeFailures, firstWaitMs, maxWaitMs, forgetAfterMs } = backoff;
  const allowance = (limit: Allowance) => [limit.burst.toLocaleString("en"), refill(limit)];
  const waits = `a wait of ${durationText(firstWaitMs)}, then twice as long each time, at most ${durationText(maxWaitMs)}; forgotten after ${durationText(forgetAfterMs)}`;
  return [
    ["failures at `/login` and `/change_password`", "an address at an account", String(freeFailures), waits],
    ["the same", "an address", ...allowance(failures)],
    ["the same", "all new addresses at an account", ...allowance(newAddresses.failures)],
    ["`/new`", "an address", ...allowance(registrations)],
    ["pictures that `/set_pfp` decodes", "a player", ...allowance(pictures)],
    [
      "unknown codes at `/zombie/hunt`, and codes that `/player/redeem` rejects",
      "a player",
      `${MAX_MISSES} within ${durationText(MISS_WINDOW)}`,
      "until the oldest of them is longer ago",
    ],
    ["codes that `/player/redeem` rejects", "an address", ...allowance(redemptions)],
    ["`/forgot_password`", "an address", ...allowance(forgotten)],
    ["changes to another e-mail address", "a player", ...allowance(addresses)],
    ["changes of the alias", "a player", "1", refill({ burst: 1, intervalMs: RENAMING_INTERVAL })],
  ];
};

export const rateLimitTable = (): string =>
  [["what", "of", "free", "then"], ["---", "---", "---", "---"], ...rows()]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
