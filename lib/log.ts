/** The log: one structured line per request, and the faults behind a 500. */
import { Logger } from "@aws-lambda-powertools/logger";

/** Whatever was thrown, as the logger takes it. */
export const loggable = (error: unknown): Error | string => (error instanceof Error ? error : String(error));

let logger: Logger | undefined;

/** The logger of this process; its level is the setting LOG_LEVEL. */
export const log = (): Logger => {
  logger ??= new Logger({ serviceName: "zombie-game" });
  return logger;
};
