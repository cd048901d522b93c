/** `npm run doctor`: finds problems of this machine or a deployment, and describes how to fix them. */

import { runCommand } from "../cli/command.ts";
import { type Progress, startProgress } from "../cli/progress.ts";
import { withClients } from "../cloud/clients.ts";
import { chooseCredentials } from "../cloud/credentials.ts";
import { findStack, listResources } from "../cloud/stack.ts";
import { regionOf, STAGE_HELP, STAGE_OPTIONS, type Stage, stageOf } from "../cloud/stage.ts";
import { loadStageSettings, type StageSettings } from "../cloud/stageSettings.ts";
import { machineChecks } from "../doctor/account.ts";
import { deploymentChecks } from "../doctor/deployment.ts";
import { certificateChecks, domainChecks } from "../doctor/domain.ts";
import { type Check, type Finding, formatFinding, runChecks } from "../doctor/findings.ts";
import { localChecks, nodeCheck } from "../doctor/local.ts";
import { mailChecks } from "../doctor/mail.ts";
import { pageCheck } from "../doctor/pages.ts";
import { quotaCheck } from "../doctor/quota.ts";
import { requestChecks } from "../doctor/requests.ts";
import { localSweepCheck, sweepCheck } from "../doctor/sweepClock.ts";
import { readSettings } from "../local/settings.ts";
import { listedFunctions } from "../project/functions.ts";

const HELP = `Checks everything that the service needs, on this machine or on AWS, and describes how to fix problems.

  npm run doctor [-- --stage STAGE] [--no-requests] [--mail ADDRESS] [--dkim-selector NAME] [--json] [--region REGION]

${STAGE_HELP}
                   without a stage: checks this machine, its local game, and the AWS account if there are credentials
  --no-requests    sends no requests; by default every function receives one that it must reject, the sweep runs, and the
                   web app's page and one of its scripts are loaded
  --mail ADDRESS   sends a test to this address, by the server of MAIL_URL
  --dkim-selector NAME
                   the selector of the DKIM key of MAIL_FROM's domain, as the mail provider names it; may be repeated
  --json           prints the findings as JSON, one per line

The requests change nothing in the game except what the sweep of every minute does. They write to the table: two log
entries (a rejected password change and a failed login with an unknown account), the count of that failure for an hour,
and the time of the sweep. npm run import still accepts such a table as empty. With --no-requests nothing is written.
The exit code is 1 if something is wrong, and 0 otherwise.
`;

const OPTIONS = {
  ...STAGE_OPTIONS,
  "no-requests": { type: "boolean", default: false },
  mail: { type: "string" },
  "dkim-selector": { type: "string", multiple: true },
  json: { type: "boolean", default: false },
} as const;

type Values = { mail?: string | undefined; "dkim-selector"?: string[] | undefined };

/** The mail that the options ask for. */
const mailToCheck = (url: string, from: string, { mail: to, "dkim-selector": selectors = [] }: Values) => ({
  ...{ url, from, to, selectors },
});

/** Without a stage AWS is optional, so its problems are notes. */
const optional = ({ what, run }: Check): Check => ({
  what,
  run: async () => {
    const found = await runChecks([{ what, run }], () => {});
    return found.map((finding) =>
      finding.state === "ok"
        ? finding
        : { ...finding, state: "note", text: `AWS is optional: only a deployment needs it. ${finding.text}` },
    );
  },
});

/** Returns the settings of a stage, or `null` if they are invalid, which the settings check has reported. */
const settingsOf = (stage: Stage): StageSettings | null => {
  try {
    return loadStageSettings(stage);
  } catch {
    return null;
  }
};

await runCommand({ help: HELP, options: OPTIONS }, async (values) => {
  const stage = values.stage === undefined ? null : stageOf(values, "doctor");
  const source = stage?.credentials ?? chooseCredentials(null);
  let progress: Progress | undefined;
  const report = (finding: Finding): void => {
    progress?.end();
    console.log(values.json ? JSON.stringify(finding) : formatFinding(finding));
  };
  return withClients(stage?.region ?? regionOf(values.region), async (clients) => {
    const found = await runChecks(stage === null ? localChecks() : [nodeCheck], report);
    // If the game cannot be opened, that has been reported already.
    const canOpen = found.every(({ state }) => state !== "wrong");
    if (stage === null && canOpen) {
      const { MAIL_URL, MAIL_FROM } = readSettings().given;
      const mail = mailChecks(mailToCheck(MAIL_URL, MAIL_FROM, values));
      found.push(...(await runChecks([localSweepCheck, ...mail], report)));
    }
    const checks = machineChecks(clients, stage, source);
    found.push(...(await runChecks(stage === null ? checks.map(optional) : checks, report)));
    const settings = stage === null ? null : settingsOf(stage);
    if (settings !== null) {
      const mail = mailChecks(mailToCheck(settings.mailUrl, settings.mailFrom, values));
      found.push(...(await runChecks(mail, report)));
    }
    const hasCredentials = found.some(({ what, state }) => what === "credentials" && state === "ok");
    if (hasCredentials) {
      const checks = [quotaCheck(clients, stage), ...certificateChecks(clients, settings)];
      found.push(...(await runChecks(checks, report)));
    }
    if (stage !== null && hasCredentials) {
      const stack = await findStack(clients, stage);
      if (stack === null) {
        const fix = `Deploy it: npm run deploy -- ${stage.options}`;
        const text = `There is no ${stage.label} in this account.`;
        const finding: Finding = { state: "note", what: "stack", text, fix };
        report(finding);
        found.push(finding);
      } else {
        const resources = await listResources(clients, stage);
        const checks = [
          ...deploymentChecks(clients, stage, stack, resources),
          sweepCheck(clients, stage),
          ...(settings === null
            ? []
            : domainChecks(stage, settings, stack.domainTarget, !values["no-requests"])),
        ];
        found.push(...(await runChecks(checks, report)));
        if (stack.url !== undefined && !values["no-requests"]) {
          const bar = startProgress("Calling all functions", listedFunctions().length);
          progress = bar;
          const own = settings === null || stack.domainTarget === undefined ? "" : settings.domain;
          const pages = pageCheck(stage, own === "" ? stack.url : `https://${own}`);
          const checks = [...requestChecks(clients, stage, stack.url, bar.add), pages];
          found.push(...(await runChecks(checks, report)));
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
});
