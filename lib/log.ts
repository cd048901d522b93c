/** The log: one structured line per request, and the faults behind a 500. */
import { Logger } from "@aws-lambda-powertools/logger";

/** Whatever was thrown, as the logger takes it. */
export const loggable = (error: unknown): Error | string => (error instanceof Error ? error : String(error));

let logger: Logger | undefined;

/** The logger of this process: its level is the setting LOG_LEVEL, its name POWERTOOLS_SERVICE_NAME. */
export const log = (): Logger => {
  logger ??= new Logger();
  return logger;
};
