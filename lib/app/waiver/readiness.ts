/** Who is ready to play: signed, oriented, with a picture and a printed code. */
import { PRINTED_LABEL } from "../../domain/accounts/printedLabel.ts";
import { isOrientation } from "../../domain/missions/mission.ts";
import { isPending, type Player, roleOf } from "../../domain/players/player.ts";
import { shownPlayer } from "../../domain/players/visibility.ts";
import { mustSign } from "../../domain/waiver/mustSign.ts";
import type { Signature } from "../../domain/waiver/signature.ts";
import { isMinor, isUnsigned } from "../../domain/waiver/waiver.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { expectedEntries, MAX_LOOKED_THROUGH, readPage } from "../../store/lists.ts";
import { attendedCounts } from "../../store/missions/attendance.ts";
import { readMissions } from "../../store/missions/missions.ts";
import { readSignatures } from "../../store/waiver/signatures.ts";
import { readPlayers } from "../players/listPlayers.ts";
import { publicPlayer } from "../shown.ts";

/** What somebody may lack. */
export const LACKS = ["signature", "age", "orientation", "picture", "code"] as const;
export type Lack = (typeof LACKS)[number];

/** How many orientations there are, and how many each player attended. */
interface Orientation {
  needed: number;
  attended: ReadonlyMap<string, number>;
}

const readOrientation = async ({ services: { store } }: ReadCall): Promise<Orientation> => {
  const ids = (await readMissions(store.db)).filter(isOrientation).map(({ mission_id }) => mission_id);
  return { needed: ids.length, attended: await attendedCounts(store.db, ids) };
};

const attendedOf = ({ attended }: Orientation, { player_id }: Player): number => attended.get(player_id) ?? 0;

const lacksOf = (player: Player, { game }: ReadCall, orientation: Orientation): Lack[] => {
  const lacks: Record<Lack, boolean> = {
    signature: mustSign(player, game),
    age: isMinor(player),
    orientation: attendedOf(orientation, player) < orientation.needed,
    picture: !player.has_pfp,
    code: !player.labels.includes(PRINTED_LABEL),
  };
  return LACKS.filter((lack) => lacks[lack]);
};

/** Whether somebody plays or waits to. Game masters and others who watch need not be ready. */
const takesPart = (player: Player): boolean => player.state !== "spectator" || isPending(player);

const readinessOf = (player: Player, call: ReadCall, orientation: Orientation, signature?: Signature) => {
  const { game, now, player: viewer } = call;
  const shown = publicPlayer(shownPlayer(player, viewer, game, now), roleOf(player), game, now);
  const { player_ref, picture_url, alias, state, has_pfp } = shown;
  const forMasters = viewer.is_admin
    ? { player_id: player.player_id, full_name: signature?.full_name ?? null }
    : { player_id: null, full_name: null };
  const lacks = lacksOf(player, call, orientation);
  return {
    ...{ player_ref, picture_url, alias, state, has_pfp, ...forMasters },
    pending: isPending(player) || isUnsigned(player, game, now),
    signed: !mustSign(player, game),
    signed_at: signature?.signed_at ?? null,
    on_paper: (signature?.entered_by ?? null) !== null,
    has_guardian: (signature?.guardian_name ?? null) !== null,
    photo_consent: signature?.photo_consent ?? null,
    orientations: attendedOf(orientation, player),
    lacks: viewer.is_admin ? lacks : lacks.filter((lack) => lack !== "age"),
  };
};

/**
 * A page of the players who take part, by alias.
 * @param lacks only those who lack this
 * @param page.after the position at which it begins
 */
export const readReadiness = async (
  call: ReadCall,
  lacks: Lack | undefined,
  { limit, after }: { limit: number; after: string | undefined },
) => {
  const { game, player: viewer, services } = call;
  const { store } = services;
  const orientation = await readOrientation(call);
  const expected = expectedEntries(limit, true);
  const roster = store.rosterEntries(game, expected, after);
  const isWanted = (player: Player): boolean =>
    takesPart(player) &&
    (lacks === undefined ||
      (lacksOf(player, call, orientation).includes(lacks) && (lacks !== "age" || viewer.is_admin)));
  async function* candidates() {
    for await (const { position, player } of readPlayers(store, roster, Math.min(expected, 100)))
      yield { position, item: isWanted(player) ? player : null };
  }
  const { items, next } = await readPage(candidates(), limit, (player) => player, MAX_LOOKED_THROUGH);
  const signers = items.filter(({ signed }) => signed !== undefined).map(({ player_id }) => player_id);
  const signatures = await readSignatures(store.db, signers);
  return {
    orientations_needed: orientation.needed,
    players: items.map((player) => readinessOf(player, call, orientation, signatures.get(player.player_id))),
    next,
  };
};
