/** Invites imported players by mail, or previews whom. */
import { DomainError, invalidRequest } from "../../domain/domainError.ts";
import { plainText } from "../../domain/mail/content.ts";
import { NOT_INVITED, type NotInvited, whyNotInvited } from "../../domain/mail/invitation.ts";
import type { Player } from "../../domain/players/player.ts";
import { BATCHES_RESERVE_MS } from "../../jobs/bulk.ts";
import type { CountResult } from "../../jobs/jobKind.ts";
import { respondByJob } from "../../jobs/respondByJob.ts";
import { MAX_SELECTED, startSelectionJob } from "../../jobs/selectionJob.ts";
import type { JobCall, ReadCall } from "../../lambda/call.ts";
import { chunk } from "../../runtime/chunk.ts";
import { mapBusyToUnavailable, unavailable } from "../../store/commit.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { readPlayers } from "../players/listPlayers.ts";
import { sampleInvitation } from "./composeMail.ts";
import { readStandings } from "./invitations.ts";
import { INVITE_JOB } from "./inviteJob.ts";

/** Whom a request chooses: these players, or everybody who has not accepted. */
export interface Chosen {
  aliases?: readonly string[] | undefined;
}

/** How many players are read at once, and how many of them are named for a reason. */
const AT_ONCE = 100;
const MAX_NAMED = 200;

/** What a request would do. */
interface Selection {
  /** Who gets an invitation. */
  invited: Player[];
  leftOut: { reason: NotInvited; alias: string }[];
}

/** The players whom the request chooses, in parts. Of a request without aliases, all players. */
async function* chosenPlayers(
  { game, services: { store } }: ReadCall,
  { aliases }: Chosen,
  unknown: (alias: string) => void,
): AsyncGenerator<Player[]> {
  if (aliases === undefined) {
    let part: Player[] = [];
    for await (const { player } of readPlayers(store, store.rosterEntries(game, 500), AT_ONCE)) {
      part.push(player);
      if (part.length < AT_ONCE) continue;
      yield part;
      part = [];
    }
    yield part;
    return;
  }
  const seen = new Set<string>();
  for (const names of chunk(aliases, AT_ONCE)) {
    const found = await Promise.all(names.map((alias) => store.playerByAlias(alias)));
    const part: Player[] = [];
    for (const [index, player] of found.entries()) {
      if (player === null) unknown(names[index] ?? "");
      else if (!seen.has(player.player_id)) part.push(player);
      if (player !== null) seen.add(player.player_id);
    }
    yield part;
  }
}

/** Judges whom the request chooses. @throws DomainError `unavailable` if time runs out */
const select = async (call: ReadCall, chosen: Chosen): Promise<Selection> => {
  const { now, timeLeft, services } = call;
  const invited: Player[] = [];
  const leftOut: Selection["leftOut"] = [];
  const unknown = (alias: string) => leftOut.push({ reason: "deleted", alias });
  for await (const players of chosenPlayers(call, chosen, unknown)) {
    if (timeLeft() < BATCHES_RESERVE_MS) throw unavailable();
    const standings = await readStandings(services.store, players, now);
    for (const player of players) {
      const standing = standings.get(player.player_id);
      const reason = standing === undefined ? "deleted" : whyNotInvited(player, standing, now);
      if (reason === null) invited.push(player);
      // Nobody has asked for those who have accepted.
      else if (chosen.aliases !== undefined || standing?.isInvited === true)
        leftOut.push({ reason, alias: player.alias });
    }
  }
  return { invited, leftOut };
};

/** The settings of mail. @throws DomainError `wrong_state` if the service sends none */
const requireMail = ({ services: { mail } }: ReadCall) => {
  if (mail === null) throw new DomainError("wrong_state", "This service sends no mail.");
  return mail;
};

/**
 * What sending would do: how many get an invitation, who is left out and why, and the text of the first one, without a link that
 * works.
 * @throws DomainError `wrong_state`, `unavailable`
 */
export const previewInvitations = async (call: ReadCall, chosen: Chosen) => {
  const { publicUrl } = requireMail(call);
  const { invited, leftOut } = await mapBusyToUnavailable(select(call, chosen));
  const [count, skipped] = [invited.length, leftOut.length];
  call.audit.details = { dry_run: true, count, skipped };
  const reasons = Map.groupBy(leftOut, ({ reason }) => reason);
  const [first] = invited;
  const facts = { game: call.game.settings.name, alias: first?.alias ?? "", publicUrl };
  const content = sampleInvitation(facts);
  return {
    ...{ count, skipped, complete: true, job_id: null },
    left_out: NOT_INVITED.flatMap((reason) => {
      const those = reasons.get(reason) ?? [];
      const aliases = those.slice(0, MAX_NAMED).map(({ alias }) => alias);
      return those.length === 0 ? [] : [{ reason, count: those.length, aliases }];
    }),
    sample:
      first === undefined ? null : { alias: first.alias, subject: content.subject, text: plainText(content) },
  };
};

/**
 * Puts an invitation into the outbox for each chosen player who can get one, in a job that the queue continues.
 * @throws DomainError `wrong_state` if the service sends no mail; `in_progress`, `key_reused`, `unavailable`, `invalid_request`
 */
export const sendInvitations = async (
  call: JobCall<CountResult>,
  chosen: Chosen,
): Promise<CommandResponse> => {
  const start = await startSelectionJob(call, INVITE_JOB, async () => {
    requireMail(call);
    const { invited, leftOut } = await mapBusyToUnavailable(select(call, chosen));
    if (invited.length > MAX_SELECTED) {
      const message = `At most ${MAX_SELECTED.toLocaleString("en")} players can be invited at once: choose fewer`;
      throw invalidRequest({ path: "", message });
    }
    const task = { selected: invited.length + leftOut.length, began_at: call.now };
    return { selection: { ids: invited.map(({ player_id }) => player_id) }, task };
  });
  return respondByJob(call, INVITE_JOB, start);
};
