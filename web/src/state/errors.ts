/** Turns errors of requests into text: the only place that knows codes and parameters. */
import { en } from "../text/en.ts";
import { timeText } from "../text/times.ts";
import { GameError } from "./api.ts";
import { now } from "./session.ts";

/** An instant as the service writes it, without an "at" that the time of the reader has itself. */
const INSTANT = /(?:\bat )?\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Returns a message for players, with times as they read them. */
export const errorText = (error: unknown): string => {
  if (!(error instanceof GameError)) return en.error.internal;
  const { code, status, message, retryAfter, turnedAway } = error;
  if (code === "network") return en.error.offline;
  if (turnedAway) return en.error.busy;
  // What stands between the device and the service has answered.
  if (code === "gateway") return en.error.offline;
  if (status === 429) return en.error.wait(retryAfter ?? 1);
  if (status >= 500) return status === 503 ? en.error.busy : en.error.internal;
  const toLocal = (instant: string): string =>
    timeText(Date.parse(instant.replace("at ", "")), now.peek() ?? Date.now());
  return en.error.codes[code] ?? message.replaceAll(INSTANT, toLocal);
};

/** Returns the validation message of one form field. */
export const fieldError = (error: unknown, name: string): string | undefined =>
  error instanceof GameError ? error.errors.find(({ path }) => path === name)?.message : undefined;

/** Returns the value that the service proposes in place of that of a form field. */
export const fieldSuggestion = (error: unknown, name: string): string | undefined => {
  const found = error instanceof GameError ? error.errors.find(({ path }) => path === name) : undefined;
  const suggestion = found?.params?.suggestion;
  return typeof suggestion === "string" ? suggestion : undefined;
};

/** Whether an error has validation messages that the form shows beside its fields. */
export const hasFieldErrors = (error: unknown): boolean =>
  error instanceof GameError && error.errors.length > 0;
