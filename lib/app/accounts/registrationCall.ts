/** The request of a registration, and the audit log entry of its login. */
import type { Newcomer } from "../../domain/players/player.ts";
import type { CommandCall as Call } from "../../http/definition.ts";
import type { LogEntry } from "../../store/items.ts";
import { newLogEntry } from "../logEntry.ts";
import type { NewPlayerReturn } from "./loginReturn.ts";

/** The body of a registration. */
export type NewPlayer = Newcomer & {
  password: string;
  join_code?: string | undefined;
  login?: boolean | undefined;
};

/** The request of a registration. */
export type RegistrationCall = Call<"public", NewPlayer, unknown, NewPlayerReturn>;

/** The audit log entry for the login of a registration. */
export const loginEntry = ({ context, requestId }: RegistrationCall, playerId: string): LogEntry =>
  newLogEntry(context, requestId, { action: "login", actor: playerId, target: playerId });
