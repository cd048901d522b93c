/** Errors of the storage under a game, a damaged file and a full disk, in words that say what to do. */

/** SQLite's own words, as the embedded engine and node:sqlite pass them on. */
const FULL = "database or disk is full";
export const DAMAGED = "database disk image is malformed";
const NO_DATABASE = "file is not a database";

export const diskFullMessage = (file: string): string =>
  `The disk that holds ${file} is full: the game stores nothing more until there is room. What it has acknowledged is safe.`;

/**
 * What to do about an error of the storage.
 * @param text an error's message, or a line of the log that contains one
 * @param file the file of the game
 * @returns a message for the user, or null when the text contains no such error
 */
export const explainStorageError = (
  text: string,
  file = process.env.GAME_FILE || ".local/game.db",
): string | null => {
  if (text.includes(FULL)) return diskFullMessage(file);
  const said = [DAMAGED, NO_DATABASE].find((one) => text.includes(one));
  if (said === undefined) return null;
  return (
    `The game in ${file} is damaged (${said}). Stop the service and import your last export into a new GAME_FILE ` +
    "(npm run import). Without an export, SQLite's own shell may save what is readable: " +
    "sqlite3 OLD.db .recover | sqlite3 NEW.db"
  );
};

/** The messages of an error and of all that caused it. */
const messagesOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${messagesOf(error.cause)}` : "";

/** The same for something that was thrown. */
export const explainStorageErrorOf = (error: unknown): string | null =>
  explainStorageError(messagesOf(error));
