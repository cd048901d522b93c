/** The response bodies that the model expects. */
import { createHash } from "node:crypto";
import { HOUR, rfc3339, SECOND } from "../../../lib/domain/time.ts";
import { eventOf, gameInstant, playerOf, shownDeadline } from "./game.ts";
import { byAlias } from "./names.ts";
import type { Event, Model, Player, State } from "./state.ts";

const time = (instant: number | null): string | null => (instant === null ? null : rfc3339(instant));

const aliasOf = (m: Model, id: string | null): string | null => playerOf(m, id)?.alias ?? null;

const PUSH_KINDS = ["tagged", "cured", "revived", "killed", "fed", "starving", "checkpoint", "game"];

export const passedAt = ({ checkpoint }: Model, { pass }: Player): string | null =>
  checkpoint !== null && pass?.checkpoint === checkpoint.id ? rfc3339(pass.at) : null;

const roleOf = ({ is_admin }: Player): string => (is_admin ? "game_master" : "player");

export const refOf = (id: string): string =>
  createHash("sha256").update(`player_ref ${id}`).digest("base64url").slice(0, 22);

const identityOf = ({ id, picture }: Pick<Player, "id" | "picture">) => ({
  player_ref: refOf(id),
  picture_url: picture === null ? null : `/pictures/${refOf(id)}.${picture}`,
});

/** A player as they see themselves. */
export const ownView = (m: Model, player: Player) => ({
  player_id: player.id,
  ...identityOf(player),
  alias: player.alias,
  first_name: player.first_name,
  last_name: null,
  email: null,
  is_admin: player.is_admin,
  role: roleOf(player),
  state: player.state,
  pending: false,
  tag_code: player.state === "human" ? player.code : null,
  kills: player.kills.length,
  infected_at: player.infection === null ? null : time(player.infectedAt),
  infected_by: player.infection === null ? null : aliasOf(m, player.infectedBy),
  last_fed_at: time(player.lastFed),
  starves_at: player.state === "zombie" ? shownDeadline(m, player.deadline) : null,
  passed_at: passedAt(m, player),
  has_pfp: player.picture !== null,
  push_kinds: PUSH_KINDS,
  created_at: rfc3339(player.createdAt),
  wants_original: player.wantsOriginal,
});

/** Whether a game master plays, also as a zombie whose starvation is not recorded yet. */
export const plays = ({ state, unrecorded }: Player): boolean =>
  state === "human" || state === "zombie" || unrecorded !== null;

/** A player as game masters see them: one who plays sees no tag code of others. */
export const staffView = (m: Model, player: Player, viewer: Player) => ({
  ...ownView(m, player),
  ...(plays(viewer) && viewer.id !== player.id ? { tag_code: null } : {}),
  labels: player.labels,
  note: player.note,
});

/** A player as others see them. */
export const publicView = (player: Player) => ({
  ...identityOf(player),
  alias: player.alias,
  state: player.state,
  kills: player.kills.length,
  has_pfp: player.picture !== null,
  role: roleOf(player),
  created_at: rfc3339(player.createdAt),
});

export const roster = (m: Model): Player[] => m.players.toSorted(byAlias);

export const countsView = ({ players }: Model) => {
  const count = (state: State): number => players.filter((player) => player.state === state).length;
  return {
    total: players.length,
    humans: count("human"),
    zombies: count("zombie"),
    corpses: count("corpse"),
    spectators: count("spectator"),
  };
};

export const checkpointView = ({ checkpoint }: Model) =>
  checkpoint === null
    ? null
    : {
        checkpoint_id: checkpoint.id,
        name: checkpoint.name,
        description: null,
        latitude: null,
        longitude: null,
        closes_at: time(checkpoint.closesAt),
        applies_to: checkpoint.appliesTo,
        set_at: rfc3339(checkpoint.setAt),
        enforced_at: time(checkpoint.enforcedAt),
        undone_at: time(checkpoint.undoneAt),
      };

const isInfection = ({ kind }: Event): boolean => kind === "hunt" || kind === "revive_zombie";

/** What a side of a hunt and game masters see of its dispute. */
const disputeDetails = (m: Model, { n, actor, target }: Event, { id, is_admin }: Player) => {
  const dispute = m.disputes.find((one) => one.n === n);
  if (dispute === undefined || !(is_admin || id === actor || id === target)) return {};
  const { status, resolved } = dispute;
  return { dispute: status, ...(resolved === null ? {} : { dispute_note: resolved.note }) };
};

/** An event as a player sees it. Only the hunter and game masters see its note, and only those concerned its reason. */
export const eventView = (m: Model, event: Event, viewer: Player) => {
  const { id, kind, at, recordedAt, actor, target, parent, sharedWith, note, voided, voids } = event;
  const { waitingSince, suspect, isEntered, isWithdrawal, isReturn, isDrawn } = event;
  const referenceOf = (id: string | null): string | null =>
    id === null || playerOf(m, id) === undefined ? null : refOf(id);
  const isPrivy = viewer.is_admin || viewer.id === actor;
  const mayKnowWhy = viewer.is_admin || viewer.id === target || viewer.id === voids?.hunter;
  const idOf = (n: number | null): string | null => (n === null ? null : (eventOf(m, n)?.id ?? null));
  return {
    interaction_id: id,
    kind,
    at: rfc3339(at),
    recorded_at: rfc3339(recordedAt),
    actor: aliasOf(m, actor),
    actor_ref: referenceOf(actor),
    target: aliasOf(m, target),
    target_ref: referenceOf(target),
    details: {
      ...(isInfection(event) ? { infection_id: id, parent_infection_id: idOf(parent) } : {}),
      ...(kind === "hunt" ? { shared_with: sharedWith.map((sharer) => aliasOf(m, sharer)) } : {}),
      ...(note !== null && isPrivy ? { note } : {}),
      ...(isWithdrawal ? { withdrawn: true } : {}),
      ...(isReturn ? { returned: true } : {}),
      ...(isDrawn ? { drawn: true } : {}),
      ...(voided ? { voided: true } : {}),
      ...(voids === null ? {} : { voided_interaction_id: idOf(voids.hunt) }),
      ...(voids?.checkpoint === undefined ? {} : { checkpoint_id: voids.checkpoint }),
      ...(waitingSince !== null && !voided ? { waiting: true } : {}),
      ...(suspect !== null && viewer.is_admin ? { by_alias: aliasOf(m, suspect) } : {}),
      ...disputeDetails(m, event, viewer),
      ...(isEntered ? { entered_by_game_master: true } : {}),
      ...(voids !== null && mayKnowWhy ? { reason: voids.reason } : {}),
    },
  };
};

/** An event in a list, which has the pictures of its players. */
const listedEvent = (m: Model, event: Event, viewer: Player) => {
  const pictureOf = (id: string | null) =>
    identityOf(playerOf(m, id) ?? { id: "", picture: null }).picture_url;
  const [actor, target] = [pictureOf(event.actor), pictureOf(event.target)];
  return {
    ...eventView(m, event, viewer),
    ...(actor === null ? {} : { actor_picture_url: actor }),
    ...(target === null ? {} : { target_picture_url: target }),
  };
};

/** Disputes of a status, open ones first, then the newest. */
export const disputesView = (m: Model, viewer: Player, wanted: string | undefined) =>
  m.disputes
    .flatMap((dispute) => {
      const event = eventOf(m, dispute.n);
      return event === undefined ? [] : [{ ...dispute, id: event.id, event }];
    })
    .filter(({ status }) => wanted === undefined || status === wanted)
    .toSorted(
      (one, other) =>
        Number(other.status === "open") - Number(one.status === "open") || (one.id < other.id ? 1 : -1),
    )
    .map(({ id, status, openedAt, entries, resolved, event }) => {
      const said = entries.map(({ speaker, by, at, text }) => ({
        speaker,
        at: rfc3339(at),
        alias: aliasOf(m, by),
        text: playerOf(m, by) === undefined ? null : text,
      }));
      return {
        ...{
          dispute_id: id,
          status,
          opened_at: rfc3339(openedAt),
          interaction: listedEvent(m, event, viewer),
        },
        resolved_at: time(resolved?.at ?? null),
        resolved_by: aliasOf(m, resolved?.by ?? null),
        note: resolved?.note ?? null,
        statements: said
          .filter(({ speaker }) => speaker !== "comment")
          .map(({ speaker, alias, at, text }) => ({ side: speaker, alias, at, statement: text })),
        comments: said
          .filter(({ speaker }) => speaker === "comment")
          .map(({ alias, at, text }) => ({ alias, at, comment: text })),
      };
    });

const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1);

/** The record, newest first: ids are in the order of recording. */
export const recordView = (m: Model, viewer: Player, kind: string | undefined) =>
  m.record
    .filter((event) => kind === undefined || event.kind === kind)
    .toSorted((one, other) => byId(other, one))
    .map((event) => listedEvent(m, event, viewer));

interface Node {
  infection_id: string;
  player_ref: string | null;
  picture_url: string | null;
  alias: string | null;
  state: State | null;
  infected_at: string;
  kills: number;
  voided: boolean;
  children: Node[];
}

const family = (m: Model, parent: number | null): Event[] =>
  m.record
    .filter((event) => isInfection(event) && event.parent === parent)
    .toSorted((one, other) => one.at - other.at || byId(one, other));

const nodeOf = (m: Model, event: Event): Node => {
  const children = family(m, event.n);
  const player = playerOf(m, event.target);
  return {
    infection_id: event.id,
    ...(player === undefined ? { player_ref: null, picture_url: null } : identityOf(player)),
    alias: player?.alias ?? null,
    state: player?.state ?? null,
    infected_at: rfc3339(event.at),
    kills: children.filter(({ voided }) => !voided).length,
    voided: event.voided,
    children: children.map((child) => nodeOf(m, child)),
  };
};

const sizeOf = (nodes: readonly Node[]): number =>
  nodes.reduce((sum, { children }) => sum + 1 + sizeOf(children), 0);

/** The tree, whole or below one infection. */
export const treeView = (m: Model, root: Event | null) => {
  const roots = (root === null ? family(m, null) : [root]).map((event) => nodeOf(m, event));
  return { roots, size: sizeOf(roots), truncated: false };
};

export const lastKillOf = ({ kills }: Player): number | null =>
  kills.length === 0 ? null : Math.max(...kills.map(({ at }) => at));

/** All players who are or were zombies, by kills and then by who reached them first. Equal players share a rank. */
export const leaderboardView = (m: Model) => {
  const standing = m.players
    .filter(({ infectedAt }) => infectedAt !== null)
    .map((player) => ({ player, kills: player.kills.length, last: lastKillOf(player) }))
    .toSorted(
      (one, other) =>
        other.kills - one.kills || (one.last ?? 0) - (other.last ?? 0) || byId(one.player, other.player),
    );
  return standing.map(({ player, kills, last }) => ({
    rank: 1 + standing.findIndex((one) => one.kills === kills && one.last === last),
    ...identityOf(player),
    alias: player.alias,
    state: player.state,
    kills,
    infected_at: time(player.infectedAt),
    last_kill_at: time(last),
  }));
};

/** Living zombies, hungriest first, then by id. */
export const hungriest = (m: Model): Player[] =>
  m.players
    .filter(({ state }) => state === "zombie")
    .toSorted((one, other) => one.deadline - other.deadline || byId(one, other));

const secondsLeft = (m: Model, { deadline }: Player): number =>
  Math.floor((deadline - gameInstant(m)) / SECOND);

export const starvationView = (m: Model) => {
  const zombies = hungriest(m);
  const under = (hours: number): number =>
    zombies.filter(({ deadline }) => deadline - gameInstant(m) < hours * HOUR).length;
  return {
    zombies: zombies.map((player) => ({
      ...identityOf(player),
      alias: player.alias,
      starves_at: shownDeadline(m, player.deadline),
      seconds_left: secondsLeft(m, player),
    })),
    next_cursor: null,
    counts: { fed: zombies.length - under(24), hungry: under(24) - under(6), starving: under(6) },
  };
};

export const nextFeedingView = (m: Model, player: Player) => ({
  next_feeding: shownDeadline(m, player.deadline),
  seconds_left: secondsLeft(m, player),
  last_fed_at: time(player.lastFed),
});

/** Log entries as shown, newest first. */
export const logView = (m: Model) =>
  m.log.toReversed().map(({ action, actor, outcome }) => ({ action, actor: aliasOf(m, actor), outcome }));
