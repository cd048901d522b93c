/** Decides whether API Gateway's own address of a stage stays reachable beside its domain. */
import type { Stack } from "../cloud/stack.ts";
import type { Stage } from "../cloud/stage.ts";
import { domainChecks, type Network } from "../doctor/domain.ts";
import type { DeploymentSettings } from "../plugins/deploymentSettings.cjs";

/** The decision, and its reason for the user; `null` without a domain. */
export interface ApiAddress {
  isOn: boolean;
  reason: string | null;
}

/**
 * Returns whether the address stays on. It is off if the domain leads to this deployment and the service responds there:
 * a second address would pass by whatever protects the first one.
 * @param stack the deployment before this deploy; `null` if there is none
 * @param keeps whether the user wants to keep the address
 */
export const decideApiAddress = async (
  stage: Pick<Stage, "options">,
  {
    settings,
    stack,
    keeps,
  }: {
    settings: Pick<DeploymentSettings, "domain" | "proxySecret">;
    stack: Stack | null;
    keeps: boolean;
  },
  network?: Network,
): Promise<ApiAddress> => {
  const { domain } = settings;
  if (domain === "") return { isOn: true, reason: null };
  if (keeps) return { isOn: true, reason: "API Gateway's address stays on, as --keep-api-address says" };
  const stays = "so API Gateway's address stays on until a deploy finds that it does";
  if (stack?.domainTarget === undefined) {
    return { isOn: true, reason: `https://${domain} does not lead to this deployment yet, ${stays}` };
  }
  const checks = domainChecks(stage, settings, stack.domainTarget, true, network);
  const found = (await Promise.all(checks.map(({ run }) => run()))).flat();
  const wrong = found.find(({ state }) => state !== "ok");
  if (wrong !== undefined) {
    return { isOn: true, reason: `${wrong.text.replace(/\.$/, "")}, ${stays}` };
  }
  return {
    isOn: false,
    reason: `https://${domain} responds, so API Gateway's address is switched off: sessions and installed apps of that address end. --keep-api-address keeps it`,
  };
};
