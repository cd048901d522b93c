/** Sets the picture of a mission. */
import { limitPictures } from "../../auth/rateLimit.ts";
import { noSuchMission } from "../../domain/missions/mission.ts";
import type { Write } from "../../dynamodb/database.ts";
import { examinePicture } from "../../images/normalize.ts";
import type { JobCall } from "../../lambda/call.ts";
import { pictureHash } from "../../store/accounts/playerRefs.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { keys } from "../../store/keys.ts";
import { missionWrite, readMission } from "../../store/missions/missions.ts";
import { RESERVED_MS } from "../accounts/setPicture.ts";
import { type MissionView, missionView } from "./missionView.ts";

/**
 * Stores a picture, scaled down and without metadata. The path has its hash, so it is another item than the one before.
 * @throws DomainError `not_found`, `unsupported_media_type`, `too_large`, `too_many_attempts`, `unavailable`
 */
export const setMissionPicture = async (
  call: JobCall<MissionView>,
  mission_id: string,
  image: Uint8Array,
): Promise<CommandResponse> => {
  const { now, player, services } = call;
  const { db } = services.store;
  const { player_id } = player;
  const file = examinePicture(image);
  if ((await readMission(db, mission_id)) === null) throw noSuchMission();
  await limitPictures(services, player_id, now);
  // Imported on demand, so that rejected requests do not load it.
  const { decodeInChild } = await import("../../images/decodeInChild.ts");
  const timeLeft = () => call.timeLeft() - RESERVED_MS;
  const { bytes } = await decodeInChild(file, { player: player_id, timeLeft });
  return call.decide(async ({ audit, game }) => {
    const before = await readMission(db, mission_id);
    if (before === null) throw noSuchMission();
    const picture_hash = pictureHash(bytes);
    const after = { ...before, picture_hash, version: before.version + 1, changed_by: player_id };
    const old = before.picture_hash;
    const writes: Write[] = [
      missionWrite(before, after),
      { put: { ...keys.missionPicture(mission_id, picture_hash), rev: 1, bytes } },
      ...(old === null || old === picture_hash ? [] : [{ remove: keys.missionPicture(mission_id, old) }]),
    ];
    audit.details = { mission_id, title: after.title, version: after.version };
    return { changes: { writes, basedOn: game }, result: missionView(after, player, game, now) };
  });
};
