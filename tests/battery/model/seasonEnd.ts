/** The model's rules of the end of a season (decision 130). A finished game stands still since play ended, as in a pause. */
import { rfc3339, SECOND } from "../../../lib/domain/time.ts";
import * as game from "./game.ts";
import { ok, type Route, type Rules, requireThat } from "./request.ts";
import { closingOf } from "./requirement.ts";
import type { Model } from "./state.ts";
import { countsView } from "./views.ts";

/** What changes the game, of what the model plays in a finished season: rejected once the result is known. */
const OF_PLAY =
  /^POST \/(zombie\/hunt|player\/(enrol|report_tagged)|admin\/(corpsify|cure|feed_player|revive_[hz]|show_secrets|void_hunt|pause_game|resume_game|zombies_add_day))\//;

const OF_CLOCK = /^POST \/admin\/(pause_game|resume_game|zombies_add_day)\//;

/** @throws ModelError `not_running` once the result is known; `wrong_state` if the clock would move after the end of play */
export const requireOpen = (m: Model, route: Route): void => {
  if (m.finish === null) return;
  requireThat(m.now < m.finish.finalAt || !OF_PLAY.test(route), "not_running");
  requireThat(!OF_CLOCK.test(route), "wrong_state");
};

/** What speaks against a result, or is still open. */
const warningsOf = (m: Model, result: string): string[] => {
  const humans = game.inState(m, "human").length;
  const warnings: Record<string, boolean> = {
    no_humans_left: result === "humans" && humans === 0,
    humans_left: result === "zombies" && humans > 0,
    paused: m.pausedAt !== null,
    checkpoint_open: m.checkpoint !== null && m.checkpoint.enforced_at === null,
    missions_open: m.missions.some((one) => closingOf(one) === null),
    disputes_open: openDisputes(m) > 0,
  };
  return Object.keys(warnings).filter((name) => warnings[name]);
};

const openDisputes = ({ record }: Model): number =>
  record.filter(({ dispute }) => dispute?.status === "open").length;

export const SEASON_END = {
  "POST /admin/finish_season/{url_id}": (m, body, { id: by }, { text }) => {
    const { result, note = null, grace_seconds, awards: entered = [], dry_run = false } = body;
    for (const { alias } of entered) requireThat(game.byName(m, alias) !== undefined, "invalid_request");
    requireThat(m.finish === null, "wrong_state");
    const endsAt = m.pausedAt ?? m.now;
    const finalAt = m.now + grace_seconds * SECOND;
    const given = entered.map(({ title, alias, text: words }) => {
      const { id, alias: present } = game.named(m, { alias });
      return { award: { title, player_id: id, text: words }, shown: { title, alias: present, text: words } };
    });
    const isOpen = m.checkpoint !== null && m.checkpoint.enforced_at === null;
    const response = ok({
      ...{ result, note, ended_at: rfc3339(endsAt), final_at: rfc3339(finalAt), counts: countsView(m) },
      ...{ warnings: warningsOf(m, result), checkpoint: isOpen ? m.checkpoint?.name : null },
      missions: m.missions
        .filter((one) => closingOf(one) === null)
        .map(({ id: mission_id, title }) => ({ mission_id, title })),
      ...{ disputes: openDisputes(m), revealed: [], given: given.map(({ shown }) => shown) },
      // The model computes no awards (tests/unit/awards.test.ts).
      awards: dry_run ? JSON.parse(text).awards : null,
    });
    if (dry_run) return response;
    const { id: event } = game.record(m, "finish", { actor: by, at: endsAt });
    m.finish = { result, note, at: m.now, finalAt, endsAt };
    m.pausedAt = null;
    m.seasonEnd = {
      awards: given.map(({ award }) => award),
      finishes: [
        ...(m.seasonEnd?.finishes ?? []),
        ...[{ event, by, ...m.finish, reopened_at: null, reopened_by: null }],
      ],
    };
    return response;
  },

  "POST /admin/reopen_season/{url_id}": (m, _, { id }) => {
    const { finish, seasonEnd } = m;
    requireThat(finish !== null && seasonEnd !== null, "wrong_state");
    Object.assign(seasonEnd, { awards: [] });
    Object.assign(seasonEnd.finishes.at(-1) ?? {}, { reopened_at: m.now, reopened_by: id });
    Object.assign(m, { finish: null, pausedAt: finish.endsAt, changedAt: m.now });
    game.record(m, "reopen", { actor: id });
    return ok({ paused_since: rfc3339(finish.endsAt) });
  },
} satisfies Rules;
