/** Explains errors of the game's storage: a damaged file and a full disk. */

/** SQLite's messages, as the embedded engine and node:sqlite report them. */
export const FULL = "database or disk is full";
export const DAMAGED = "database disk image is malformed";
const NOT_A_DATABASE = "file is not a database";

export const diskFullMessage = (file: string): string =>
  `The disk with ${file} is full: nothing more is stored until there is free space. Everything that was acknowledged is safe.`;

/**
 * Explains a storage error to the user.
 * @param text an error message, or a log line that contains one
 * @param file the file of the game
 * @returns the explanation, or null if the text contains no storage error
 */
export const explainStorageError = (
  text: string,
  file = process.env.GAME_FILE || ".local/game.db",
): string | null => {
  if (text.includes(FULL)) return diskFullMessage(file);
  const reason = [DAMAGED, NOT_A_DATABASE].find((one) => text.includes(one));
  if (reason === undefined) return null;
  return (
    `The game in ${file} is damaged (${reason}). Stop the service and import your last export into a new GAME_FILE ` +
    "(npm run import). Without an export, SQLite's shell may recover some of it: " +
    "sqlite3 OLD.db .recover | sqlite3 NEW.db"
  );
};

/** The messages of an error and its causes. */
const messagesOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${messagesOf(error.cause)}` : "";

/** Explains a storage error that was thrown. */
export const explainStorageErrorOf = (error: unknown): string | null =>
  explainStorageError(messagesOf(error));
