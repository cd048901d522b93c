/** `npm run doctor`: what is wrong with a deployment, or in the way of one, and how it is mended. */
import { parseArgs } from "node:util";
import { type Progress, startProgress } from "./archive/progress.ts";
import { withClients } from "./cloud/clients.ts";
import { resourcesOf, stackOf } from "./cloud/stack.ts";
import { regionOf, STAGE_HELP, STAGE_OPTIONS, stageOf } from "./cloud/stage.ts";
import { accountChecks, machineChecks } from "./doctor/account.ts";
import { deploymentChecks } from "./doctor/deployment.ts";
import { carryOut, type Finding, lineOf } from "./doctor/findings.ts";
import { requestChecks } from "./doctor/requests.ts";
import { listedFunctions } from "./local/functions.ts";
import { runCommand } from "./local/userError.ts";

const HELP = `Looks at everything that a deployment needs, says what is wrong with it and how to mend it.

  npm run doctor [-- --stage STAGE] [--no-requests] [--json] [--region REGION]

${STAGE_HELP}
                   without a stage: this machine and the account alone
  --no-requests    asks no function; otherwise each is asked once, with the token of nobody, and the sweep is run
  --json           the findings as JSON, one in a line

It changes nothing. It ends with 1 when something is wrong, and with 0 otherwise.
`;

const OPTIONS = {
  ...STAGE_OPTIONS,
  "no-requests": { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const stage = values.stage === undefined ? null : stageOf(values, "doctor");
  let progress: Progress | undefined;
  const tell = (finding: Finding): void => {
    progress?.end();
    console.log(values.json ? JSON.stringify(finding) : lineOf(finding));
  };
  return withClients(stage?.region ?? regionOf(values.region), async (clients) => {
    const found = await carryOut(machineChecks(clients, stage), tell);
    const canAsk = found.some(({ what, state }) => what === "credentials" && state === "ok");
    if (canAsk) found.push(...(await carryOut(accountChecks(clients), tell)));
    if (stage !== null && canAsk) {
      const stack = await stackOf(clients, stage);
      if (stack === null) {
        const mend = `Deploy it: npm run deploy -- ${stage.options}`;
        const says = `There is no ${stage.words}, in this account.`;
        const finding: Finding = { state: "note", what: "stack", says, mend };
        tell(finding);
        found.push(finding);
      } else {
        const resources = await resourcesOf(clients, stage);
        found.push(...(await carryOut(deploymentChecks(clients, stage, stack, resources), tell)));
        if (stack.url !== undefined && !values["no-requests"]) {
          const bar = startProgress("Asking every function", listedFunctions().length);
          progress = bar;
          found.push(...(await carryOut(requestChecks(clients, stage, stack.url, bar.add), tell)));
        }
      }
    }
    const wrong = found.filter(({ state }) => state === "wrong" || state === "unknown").length;
    if (!values.json) {
      const notes = found.filter(({ state }) => state === "note").length;
      console.log(
        wrong === 0
          ? `\nNothing is wrong${notes > 0 ? "; see the notes" : ""}.`
          : `\n${wrong === 1 ? "One thing is" : `${wrong} things are`} wrong.`,
      );
    }
    return wrong === 0 ? 0 : 1;
  });
};

await runCommand(main);
