/** Checks the requirements of a deployment: settings, credentials, and the account. */
import { lookup } from "node:dns/promises";
import { GetCallerIdentityCommand } from "@aws-sdk/client-sts";
import { explainingErrors } from "../cloud/awsErrors.ts";
import type { Clients } from "../cloud/clients.ts";
import type { CredentialSource } from "../cloud/credentials.ts";
import type { Stage } from "../cloud/stage.ts";
import { loadStageSettings, settingsAdvice } from "../cloud/stageSettings.ts";
import { type Check, note, ok, type Result, resultOf } from "./findings.ts";

/** AWS rejects signatures that are five minutes off. A clock that is a minute off is suspicious. */
const CLOCK_NOTE = 60_000;
const CLOCK_WRONG = 300_000;

/** Checks the identity of the credentials, the connection to the region, and this machine's clock. */
const credentials = async (
  { sts, region }: Clients,
  { from, advice }: CredentialSource,
): Promise<Result[]> => {
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
  const { Account, Arn } = await explainingErrors(region, "identify the credentials", () =>
    sts.send(new GetCallerIdentityCommand({})),
  );
  const found = [
    ok(`${Arn} of the account ${Account}, from ${from}; ${region} is reachable.`),
    ...(advice === null
      ? []
      : [note(`${advice}.`, "The deploy uses the same ones. Unset the variables that you do not need.")]),
  ];
  if (theirs === undefined || Number.isNaN(theirs)) return found;
  const apart = Math.abs(Date.now() - theirs);
  const text =
    apart < CLOCK_NOTE
      ? "The clock of this machine is right."
      : `The clock of this machine is ${Math.round(apart / 1_000)} seconds off AWS's.`;
  const state = apart < CLOCK_NOTE ? "ok" : apart < CLOCK_WRONG ? "note" : "wrong";
  const fix = state === "ok" ? undefined : "Set it by NTP (timedatectl set-ntp true).";
  return [...found, { ...resultOf(state, text, fix), what: "clock" }];
};

/** Checks the settings, and whether the host names of ALLOWED_ORIGINS exist. */
const settings = async (stage: Stage): Promise<Result[]> => {
  const loaded = loadStageSettings(stage);
  const from = loaded.file ?? "the environment";
  const advice = settingsAdvice(loaded, stage).map((text) => note(`${text}.`));
  const domains = await Promise.all(
    loaded.allowedOrigins
      .filter((origin) => origin !== "*")
      .map(async (origin): Promise<Result> => {
        const { hostname } = new URL(origin);
        const result = await lookup(hostname).then(
          () => ok(`${hostname} in ALLOWED_ORIGINS exists.`),
          () =>
            note(
              `${hostname} in ALLOWED_ORIGINS cannot be resolved, so no page of that origin exists.`,
              "Check that it is written as in the browser's address bar.",
            ),
        );
        return { ...result, what: "domain" };
      }),
  );
  return [ok(`The settings in ${from} are valid.`), ...advice, ...domains];
};

/** Checks that need nothing from AWS except the identity of the credentials. */
export const machineChecks = (clients: Clients, stage: Stage | null, source: CredentialSource): Check[] => [
  ...(stage === null ? [] : [{ what: "settings", run: () => settings(stage) }]),
  { what: "credentials", run: () => credentials(clients, source) },
];
