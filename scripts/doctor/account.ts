/** Checks of what a deployment needs before there is one: settings, credentials, and the account. */
import { lookup } from "node:dns/promises";
import { GetCallerIdentityCommand } from "@aws-sdk/client-sts";
import { explainingErrors } from "../cloud/awsErrors.ts";
import type { Clients } from "../cloud/clients.ts";
import type { CredentialSource } from "../cloud/credentials.ts";
import type { Stage } from "../cloud/stage.ts";
import { loadStageSettings, settingsAdvice } from "../cloud/stageSettings.ts";
import type { Check, Finding } from "./findings.ts";

/** AWS refuses what is signed five minutes too early or too late; a minute is no good sign. */
const CLOCK_NOTE = 60_000;
const CLOCK_WRONG = 300_000;

/** Whose the credentials are, whether they reach the region, and how far the clocks are apart. */
const credentials = async (
  { sts, region }: Clients,
  { from, advice }: CredentialSource,
): Promise<Finding[]> => {
  let theirs: number | undefined;
  sts.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { response } = result;
      if (typeof response === "object" && response !== null && "headers" in response) {
        const { date } = response.headers as Record<string, string | undefined>;
        theirs = date === undefined ? undefined : Date.parse(date);
      }
      return result;
    },
    { step: "deserialize", priority: "low", name: "clock", override: true },
  );
  const { Account, Arn } = await explainingErrors(region, "tell whose the credentials are", () =>
    sts.send(new GetCallerIdentityCommand({})),
  );
  const who: Finding = {
    state: "ok",
    what: "credentials",
    says: `${Arn}, of the account ${Account}, by ${from}; ${region} answers.`,
  };
  const found: Finding[] = [
    who,
    ...(advice === null
      ? []
      : [
          {
            state: "note" as const,
            what: "credentials",
            says: `${advice}.`,
            mend: "The deploy takes the same ones. Unset what you do not mean.",
          },
        ]),
  ];
  if (theirs === undefined || Number.isNaN(theirs)) return found;
  const apart = Math.abs(Date.now() - theirs);
  const says =
    apart < CLOCK_NOTE
      ? "This machine and AWS agree on the time."
      : `This machine is ${Math.round(apart / 1_000)} seconds off AWS's time.`;
  const state = apart < CLOCK_NOTE ? "ok" : apart < CLOCK_WRONG ? "note" : "wrong";
  const mend = state === "ok" ? {} : { mend: "Set it by NTP (timedatectl set-ntp true)." };
  return [...found, { state, what: "clock", says, ...mend }];
};

/** The settings, and whether the pages that may call the service have a domain. */
const settings = async (stage: Stage): Promise<Finding[]> => {
  const loaded = loadStageSettings(stage);
  const what = "settings";
  const from = loaded.file ?? "the environment";
  const advice = settingsAdvice(loaded, stage).map(
    (says): Finding => ({ state: "note", what, says: `${says}.` }),
  );
  const domains = await Promise.all(
    loaded.allowedOrigins
      .filter((origin) => origin !== "*")
      .map(async (origin): Promise<Finding> => {
        const { hostname } = new URL(origin);
        try {
          await lookup(hostname);
          return { state: "ok", what: "domain", says: `${hostname} of ALLOWED_ORIGINS is there.` };
        } catch {
          return {
            state: "note",
            what: "domain",
            says: `${hostname} of ALLOWED_ORIGINS cannot be resolved: no page of that address will call.`,
            mend: "See that it is written as in the browser's address bar.",
          };
        }
      }),
  );
  return [{ state: "ok", what, says: `Those of ${from} can be deployed.` }, ...advice, ...domains];
};

/** What can be looked at without asking AWS anything but who asks. */
export const machineChecks = (clients: Clients, stage: Stage | null, source: CredentialSource): Check[] => [
  ...(stage === null ? [] : [{ what: "settings", run: () => settings(stage) }]),
  { what: "credentials", run: () => credentials(clients, source) },
];
