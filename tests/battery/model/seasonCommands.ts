/** The end of a season in the model's game. It is always reopened, so that a sequence goes on. */
import { HOUR, MINUTE, SECOND } from "../../../lib/domain/time.ts";
import { hunt, reportTagged, spellTime } from "./gameCommands.ts";
import { NOBODY } from "./names.ts";
import { type Actions, requestOf, type Turn } from "./turn.ts";

/** What game masters and players do, or try to, when play is over. */
function* meanwhile(t: Turn): Actions {
  const { m } = t;
  const on = (command: "corpsify" | "cure" | "feed_player" | "revive_z", state: "zombie" | "corpse") =>
    t.master(command, t.ref(t.playerIn(state)));
  switch (t.below(9)) {
    case 1:
      return yield* on("cure", "zombie");
    case 2:
      return yield* on("feed_player", "zombie");
    case 3:
      return yield* on("revive_z", "corpse");
    case 4:
      return yield* t.master(t.pick(["pause_game", "resume_game", "zombies_add_day"]), {});
    case 5: {
      const last = m.record.findLast(({ kind, voided_by }) => kind === "hunt" && voided_by === null);
      if (last === undefined) return yield* on("corpsify", "zombie");
      return yield* t.master("void_hunt", { interaction_id: last.id, reason: "After the end." });
    }
    case 6:
      return yield* reportTagged(t);
    case 7:
      yield { sweep: true };
      return true;
    case 8:
      return yield* hunt(t);
    default: {
      // A tag about when play ended.
      const [hunter, prey] = [t.playerIn("zombie"), t.playerIn("human")];
      const at = (m.finish?.endsAt ?? m.now) - t.pick([1, 0, MINUTE, HOUR, -1]);
      const body = { tag_code: prey.tag_code ?? "QQQQQQQQ", hunted_at: spellTime(t, Math.min(at, m.now)) };
      return yield* t.by(hunter, "POST /zombie/hunt/{url_id}", body);
    }
  }
}

function* view(t: Turn): Actions {
  const credentials = { ...(yield* t.credentialsOf(t.one(t.m.players))), key: null };
  yield requestOf("GET /game/{url_id}", credentials, {});
  yield requestOf("GET /interactions/{url_id}", credentials, { limit: 200 });
  return true;
}

/** A game master finishes the season, the last tags come in, and it is reopened before or after its result is known. */
export function* finishAndReopen(t: Turn): Actions {
  const { m } = t;
  const award = { title: "Best costume", alias: t.spell(t.one(m.players).alias), text: "A hedge." };
  const grace_seconds = t.pick([3_600, 0, 600]);
  const body = {
    ...{ result: t.pick(["humans", "zombies", "both", "none"]), grace_seconds },
    ...t.maybe(40, { note: "By a whisker." }),
    ...t.maybe(40, { awards: [t.chance(10) ? { ...award, alias: NOBODY } : award] }),
  };
  if (t.chance(20)) yield* t.master("finish_season", { ...body, dry_run: true });
  if (!(yield* t.master("finish_season", body))) return false;
  for (let times = t.pick([3, 2, 4]); times > 0; times -= 1) {
    const left = (m.finish?.finalAt ?? 0) - m.now;
    const until = t.pick([0, MINUTE, 20 * MINUTE, left, left - 1]);
    if (until > 0) yield { pass: until };
    yield* meanwhile(t);
    if (t.chance(60)) yield* view(t);
  }
  if (t.chance(15)) yield* t.master("finish_season", body);
  yield { pass: t.pick([SECOND, HOUR, 60 * HOUR]) };
  if (t.chance(40)) yield { sweep: true };
  const reopened = yield* t.master("reopen_season", {});
  if (t.chance(60)) yield* t.master("resume_game", {});
  yield { pass: t.pick([MINUTE, HOUR]) };
  yield* view(t);
  return reopened;
}
