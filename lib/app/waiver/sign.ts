/** Signatures of the waiver: of a newcomer, of a player, and on paper. */
import { randomUUID } from "node:crypto";
import { DomainError } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import { isPending, type Player, stateOf } from "../../domain/players/player.ts";
import { shownPlayer } from "../../domain/players/visibility.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { SealedAnswers, Signature } from "../../domain/waiver/signature.ts";
import {
  isMinor,
  isUnderAge,
  requirePresentVersion,
  type Signed,
  withSignature,
} from "../../domain/waiver/waiver.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import type { Services } from "../../lambda/services.ts";
import type { Changes } from "../../store/changes.ts";
import type { Decision } from "../../store/decide.ts";
import { ofAgeWrite, readSignature, signatureWrites, underAgeWrite } from "../../store/waiver/signatures.ts";
import type { Entrant } from "../accounts/newAccount.ts";
import { findTarget, type PlayerName } from "../currentState.ts";
import { showPlayer } from "../lookups.ts";
import type { PlayerInfo } from "../shown.ts";
import { type Answers, asksOf, requireAnswers, sealAnswers, unsealAnswers } from "./answers.ts";
import { withPhotoAnswer } from "./photoConsent.ts";

/** What somebody types who signs. */
export interface SignatureRequest extends Answers {
  version: string;
  full_name: string;
}

/** Who signs, how and when. */
interface Signing {
  services: Pick<Services, "cursorKeys">;
  now: number;
  /** The address of the request; `null` for a signature on paper. */
  address: string | null;
  entered_by: string | null;
}

/** The parts of a signature that its request gives. */
interface Typed extends Answers {
  full_name: string;
  /** Of which an answer about photos, and its time, stays until there is another. */
  earlier: Pick<Signature, "photo_consent" | "photo_consent_at"> | null;
  guardian_name?: string | undefined;
}

const newSignature = async (
  { services, now, address, entered_by }: Signing,
  playerId: string,
  version: string,
  { full_name, guardian_name, birth_date, emergency_contact, photo_consent, earlier }: Typed,
): Promise<Signature> => {
  const signature_id = randomUUID();
  const isNewAnswer = photo_consent !== undefined && photo_consent !== earlier?.photo_consent;
  const sealed: SealedAnswers = {
    address,
    birth_date: birth_date ?? null,
    emergency_contact: emergency_contact ?? null,
  };
  return {
    ...{ signature_id, rev: 0, player_id: playerId, version, full_name, signed_at: rfc3339(now), entered_by },
    guardian_name: guardian_name ?? null,
    photo_consent: photo_consent ?? earlier?.photo_consent ?? null,
    photo_consent_at: isNewAnswer ? rfc3339(now) : (earlier?.photo_consent_at ?? null),
    sealed: await sealAnswers(services, signature_id, sealed, now),
  };
};

/** The writes that note a player who waits to be of age, and that forget one who does not any more. */
const underAgeWrites = async (
  { services, now }: Signing,
  before: Player | null,
  after: Pick<Player, "player_id" | "waits">,
  birthDate: string | null,
): Promise<Write[]> => {
  const { player_id: id } = after;
  if (!isMinor(after)) return before !== null && isMinor(before) ? [ofAgeWrite(id)] : [];
  const answers = { address: null, birth_date: birthDate, emergency_contact: null };
  return [underAgeWrite(id, await sealAnswers(services, id, answers, now))];
};

/** A newcomer's signature: what it says, and the writes once it is known as whom they enter. */
export interface NewcomerSignature {
  signed: Signed;
  writes: (player: Player) => Promise<Write[]>;
  /** Somebody who comes back, and has signed. They stay what they were. */
  signedEntrant: (entrant: Entrant) => Promise<Entrant>;
}

/**
 * The signature of somebody who registers.
 * @throws DomainError `changed_meanwhile`; `invalid_request` for answers that are missing or not asked for
 */
export const newcomerSignature = (
  signing: Omit<Signing, "entered_by">,
  game: Game,
  wanted: SignatureRequest,
): NewcomerSignature => {
  const { version, birth_date = null } = wanted;
  requirePresentVersion(game, version);
  requireAnswers(wanted, game, signing.now, { required: asksOf(game), path: "signature." });
  const own = { ...signing, entered_by: null };
  const writes = async (player: Player): Promise<Write[]> => [
    ...signatureWrites(
      player.player_id,
      null,
      await newSignature(own, player.player_id, version, { ...wanted, earlier: null }),
    ),
    ...(await underAgeWrites(own, null, player, birth_date)),
  ];
  return {
    signed: { version, isHeld: isUnderAge(birth_date, game, signing.now) },
    writes,
    signedEntrant: async (entrant) => {
      const player = { ...entrant.player, signed: version };
      return { ...entrant, player, writes: [...(entrant.writes ?? []), ...(await writes(player))] };
    },
  };
};

export interface SignedWaiver {
  version: string;
  full_name: string;
  signed_at: string;
  /** Whether the player had signed this version before, so that nothing has changed. */
  repeated: boolean;
  player: PlayerInfo;
}

const resultOf = async (
  { now, services: { store } }: PlayerCall,
  { version, full_name, signed_at }: Signature,
  repeated: boolean,
  shown: { player: Player; game: Game },
): Promise<SignedWaiver> => ({
  ...{ version, full_name, signed_at, repeated },
  player: await showPlayer(store, shown.player, shown.game, now),
});

/** The player of a stored signature. One who was read before it was stored is read again. @throws DomainError `player_not_found` */
const readSigner = async (
  { services: { store } }: PlayerCall,
  read: { player: Player; game: Game },
  { version }: Signature,
): Promise<{ player: Player; game: Game }> =>
  read.player.signed === version ? read : store.playerWithGame(read.player.player_id);

/** The birth date that somebody has given earlier. */
const knownBirthDate = async (
  { now, services }: PlayerCall,
  before: Signature | null,
): Promise<string | null> =>
  before === null ? null : ((await unsealAnswers(services, before, now))?.birth_date ?? null);

/** What somebody changes who signs, or for whom a signature is entered. */
const signedChanges = async (
  signing: Signing,
  { before, entered, game }: { before: Player; entered: Player; game: Game },
  {
    earlier,
    signature,
    birthDate,
  }: { earlier: Signature | null; signature: Signature; birthDate: string | null },
): Promise<{ after: Player; changes: Changes }> => {
  const { player: after, writes } = withPhotoAnswer(entered, { before: earlier, after: signature });
  return {
    after,
    changes: {
      players: [{ before, after }],
      basedOn: game,
      writes: [
        ...signatureWrites(before.player_id, earlier, signature),
        ...(await underAgeWrites(signing, before, after, birthDate)),
        ...writes,
      ],
    },
  };
};

/**
 * Signs the waiver as the player. Somebody who waits for that becomes human, unless they are under age.
 * @param address the address of the request
 * @throws DomainError `changed_meanwhile`; `invalid_request`; `ask_game_master` for another birth date than before
 */
export const signWaiver = async (
  call: PlayerCall,
  wanted: SignatureRequest,
  address: string,
): Promise<Decision<SignedWaiver>> => {
  const { context, game, now, player: before, services } = call;
  const { version } = wanted;
  const earlier = await readSignature(services.store.db, before.player_id);
  if (earlier?.version === version) {
    const signer = await readSigner(call, { player: before, game }, earlier);
    return { changes: {}, result: await resultOf(call, earlier, true, signer) };
  }
  requirePresentVersion(game, version);
  requireAnswers(wanted, game, now, { required: asksOf(game) });
  const known = await knownBirthDate(call, earlier);
  const { birth_date = known } = wanted;
  if (known !== null && birth_date !== known)
    throw new DomainError(
      "ask_game_master",
      "You have signed with another birth date before. A game master can correct it.",
    );
  const signing = { services, now, address, entered_by: null };
  // Who was let play after an earlier signature stays so.
  const isHeld = (earlier === null || isMinor(before)) && isUnderAge(birth_date, game, now);
  const entered = withSignature(before, game, { version, isHeld }, context);
  const answers = { ...wanted, birth_date: birth_date ?? undefined, earlier };
  const signature = await newSignature(signing, before.player_id, version, answers);
  const stored = { earlier, signature, birthDate: birth_date };
  const { after, changes } = await signedChanges(signing, { before, entered, game }, stored);
  return {
    changes,
    result: await resultOf(call, signature, false, { player: after, game }),
  };
};

/** What a moderator enters of a signature on paper. */
export interface PaperRequest extends PlayerName, Answers {
  full_name: string;
  guardian_name?: string | undefined;
}

export interface PaperSignature
  extends Pick<SignedWaiver, "version" | "full_name" | "signed_at" | "repeated"> {
  alias: string;
  guardian_name: string | null;
  state: PlayerInfo["state"];
  pending: boolean;
}

/** Whether a signature on paper adds to the one that a player has: a guardian, or what a game master confirms or corrects. */
const adds = (earlier: Signature, wanted: PaperRequest, isGameMaster: boolean, player: Player): boolean =>
  (isGameMaster &&
    ((wanted.guardian_name !== undefined && isMinor(player)) ||
      earlier.full_name !== wanted.full_name ||
      [wanted.birth_date, wanted.emergency_contact].some((one) => one !== undefined) ||
      (wanted.photo_consent !== undefined && wanted.photo_consent !== earlier.photo_consent))) ||
  (wanted.guardian_name !== undefined && wanted.guardian_name !== earlier.guardian_name);

/**
 * Enters a signature of the present waiver on paper: the player's, or for somebody under age also a guardian's. With a
 * guardian's that a game master enters, they need not wait any more.
 * @throws DomainError `player_not_found`; `wrong_state` without a waiver; `invalid_request`; `ask_game_master` for a
 *   moderator's own, and for another birth date that a moderator enters
 */
export const enterPaperSignature = async (
  call: PlayerCall,
  wanted: PaperRequest,
): Promise<Decision<PaperSignature>> => {
  const { audit, context, now, player: actor, services } = call;
  const { target: before, game } = await findTarget(call, wanted);
  const [version] = game.settings.waiver_versions;
  if (version === undefined) throw new DomainError("wrong_state", "This game has no waiver.");
  if (before.player_id === actor.player_id && !actor.is_admin)
    throw new DomainError("ask_game_master", "Somebody else has to enter your own signature.");
  const earlier = await readSignature(services.store.db, before.player_id);
  const known = await knownBirthDate(call, earlier);
  const { birth_date = known, guardian_name = null } = wanted;
  const needsBirthDate = game.settings.minimum_age !== null && known === null;
  requireAnswers(wanted, game, now, { required: needsBirthDate ? ["birth_date"] : [] });
  if (known !== null && birth_date !== known && !actor.is_admin)
    throw new DomainError("ask_game_master", "Another birth date is stored. A game master can correct it.");
  const shown = (signature: Signature, after: Player, repeated: boolean): PaperSignature => {
    const { version, full_name, signed_at, guardian_name } = signature;
    const state = stateOf(shownPlayer(after, actor, game, now), game, now);
    const signed = { alias: after.alias, version, full_name, guardian_name, signed_at };
    return { ...signed, repeated, state, pending: isPending(after) };
  };
  const aliases = new Map([[before.player_id, before.alias]]);
  if (earlier?.version === version && !adds(earlier, wanted, actor.is_admin, before)) {
    const { player } = await readSigner(call, { player: before, game }, earlier);
    return { changes: {}, result: shown(earlier, player, true), aliases };
  }
  const isConfirmed = guardian_name !== null && actor.is_admin;
  const isNew = earlier === null || isMinor(before);
  const isHeld = isNew && !isConfirmed && isUnderAge(birth_date, game, now);
  const entered = withSignature(before, game, { version, isHeld }, context);
  const old = earlier === null ? null : await unsealAnswers(services, earlier, now);
  const signing = { services, now, address: null, entered_by: actor.player_id };
  const signature = await newSignature(signing, before.player_id, version, {
    full_name: wanted.full_name,
    guardian_name: guardian_name ?? earlier?.guardian_name ?? undefined,
    birth_date: birth_date ?? undefined,
    emergency_contact: wanted.emergency_contact ?? old?.emergency_contact ?? undefined,
    photo_consent: wanted.photo_consent,
    earlier,
  });
  const stored = { earlier, signature, birthDate: birth_date };
  const { after, changes } = await signedChanges(signing, { before, entered, game }, stored);
  audit.details = { version, has_guardian: guardian_name !== null };
  return {
    changes,
    result: shown(signature, after, false),
    aliases,
  };
};
