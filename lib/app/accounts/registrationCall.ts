/** What registrations and their repetitions have in common: request, result, and the audit log entry of the login. */
import type { NewSession } from "../../auth/login.ts";
import type { Newcomer } from "../../domain/players/player.ts";
import type { Call, PublicCall } from "../../lambda/call.ts";
import type { LogEntry } from "../../store/items.ts";
import { newLogEntry } from "../../store/logEntry.ts";
import type { PlayerInfo } from "../shown.ts";
import type { SignatureRequest } from "../waiver/sign.ts";

/** Somebody who registers. */
export type NewPlayer = Newcomer & {
  password: string;
  join_code?: string | undefined;
  /** The set-up secret, which makes the player the first game master. */
  setup?: string | undefined;
  /** The signature of the waiver. */
  signature?: SignatureRequest | undefined;
  /** Whether to open a session as well. */
  login?: boolean | undefined;
};

export interface Registered {
  player: PlayerInfo;
  opened: NewSession | null;
}

export type RegistrationCall = PublicCall<Registered>;

/** The audit log entry for the login of a registration. */
export const loginEntry = ({ context, requestId }: Call, playerId: string): LogEntry =>
  newLogEntry(context, requestId, { action: "login", actor: playerId, target: playerId });
