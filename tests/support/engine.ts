/** The engine for tests in process: an embedded one of their own, or one that is running already. */
import { startEngine } from "../../scripts/local/engine.ts";
import { adaptStatements } from "../../scripts/local/statements.ts";

/** The endpoint of a shared engine: AWS's own emulator (`npm run test:emulator`). */
export const SHARED_ENGINE = process.env.ENGINE_ENDPOINT;

/** The engine, and how to stop it. */
export const openEngine = async (): Promise<{ endpoint: string; stop: () => Promise<void> }> => {
  if (SHARED_ENGINE !== undefined) return { endpoint: SHARED_ENGINE, stop: async () => {} };
  // As in `npm start`.
  adaptStatements();
  const { endpoint, stop } = await startEngine();
  return { endpoint, stop };
};
