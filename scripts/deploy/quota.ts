/** Offers to request more concurrent executions from AWS. */
import { isTerminal, promptYesNo } from "../cli/prompt.ts";
import type { Clients } from "../cloud/clients.ts";
import {
  CONCURRENCY_NEEDED,
  findQuotaRequest,
  howToRaiseConcurrency,
  requestConcurrency,
} from "../cloud/concurrency.ts";
import type { Stage } from "../cloud/stage.ts";
import { isForTests } from "../plugins/stages.cjs";

interface Offer {
  /** Whether `--yes` was given: nothing is prompted, and nothing requested that was not asked for. */
  isSure: boolean;
  dryRun: boolean;
  /** Whether `--request-concurrency` was given. */
  isRequested: boolean;
  /** Prompts for yes or no; `null` without a terminal. */
  ask?: ((question: string) => Promise<boolean>) | null;
}

/**
 * If fewer functions may run concurrently than a mission needs, requests more when that was asked for, offers it at a
 * terminal, and otherwise says how. For a stage for tests it does nothing unless it was asked for.
 * @param limit the functions that may run concurrently
 */
export const offerConcurrency = async (
  clients: Pick<Clients, "quotas" | "region">,
  { stage, region, options }: Pick<Stage, "stage" | "region" | "options">,
  limit: number,
  { isSure, dryRun, isRequested, ask = isTerminal() ? promptYesNo : null }: Offer,
): Promise<void> => {
  const note = (text: string): void => console.log(`Note: ${text}.`);
  if (limit >= CONCURRENCY_NEEDED) {
    if (isRequested) note(`A limit of ${limit} is enough, so no other is requested`);
    return;
  }
  if (isForTests(stage) && !isRequested) return;
  const low = `A limit of ${limit} is too low for a mission`;
  const request = await findQuotaRequest(clients);
  if (request?.isOpen) return note(`${low}. ${request.text}`);
  if (request !== null) note(request.text);
  const howTo = `${low}. ${howToRaiseConcurrency(region, options)}`;
  if (dryRun) return note(isRequested ? `${low}. A limit of 1,000 would be requested` : howTo);
  const isWanted =
    isRequested ||
    (!isSure && ask !== null && (await ask(`${low}. Request a limit of 1,000 from AWS, which is free?`)));
  note(isWanted ? await requestConcurrency(clients) : howTo);
};
