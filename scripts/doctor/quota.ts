/** Checks the concurrency limit of the account. */
import type { Clients } from "../cloud/clients.ts";
import {
  CONCURRENCY_NEEDED,
  findQuotaRequest,
  howToRaiseConcurrency,
  readConcurrencyLimit,
} from "../cloud/concurrency.ts";
import type { Stage } from "../cloud/stage.ts";
import { isForTests } from "../plugins/stages.cjs";
import { type Check, ok, type Result, resultOf } from "./findings.ts";

const quotaFindings = async (clients: Clients, stage: Stage | null): Promise<Result[]> => {
  const { region } = clients;
  const limit = await readConcurrencyLimit(clients);
  const text = `${limit} functions may run concurrently in ${region}.`;
  if (limit >= CONCURRENCY_NEEDED) return [ok(text)];
  const request = await findQuotaRequest(clients);
  return [
    resultOf(
      stage === null || isForTests(stage.stage) ? "note" : "wrong",
      `${text} That is enough to try the service, but not for a mission: players would get 503 and wait.`,
      request?.text ?? howToRaiseConcurrency(region, stage?.options ?? null),
    ),
  ];
};

/** The check of the concurrency limit. A low limit is wrong for a stage with a real game, and a note for others. */
export const quotaCheck = (clients: Clients, stage: Stage | null): Check => ({
  what: "quota",
  run: () => quotaFindings(clients, stage),
});
