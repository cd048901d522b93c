/** Validates the templates of a package before anything is created: by AWS's own validator, and their references. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Engine, RegoEngine, type StandardDiagnostic, TemplateFile } from "@aws/cloudformation-validate";
import { UserError } from "../cli/userError.ts";
import { nestedFaults, referenceFaults } from "./references.ts";
import { Template } from "./template.ts";

/** The templates of a package: of the first step of a first deploy, of the service, and of its nested stack. */
export const TEMPLATES = {
  create: "cloudformation-template-create-stack.json",
  service: "cloudformation-template-update-stack.json",
  roles: "roles-template.json",
} as const;

/** The logical id of the nested stack. */
const NESTED = "Roles";

/** The warnings that stay, by rule and place, each with its reason. */
export const ACCEPTED: Readonly<Record<string, string>> = {
  "W9002 SweepLambdaPermissionEventsRuleSchedule1":
    "the ARN of the sweep's rule is built from its name, so that the permission can exist before the rule",
};

/** What is wrong with a package; each in one line that begins with the file. */
export interface TemplateFindings {
  /** CloudFormation would reject these. */
  errors: string[];
  /** Warnings without an accepted reason. */
  warnings: string[];
}

let engine: Engine | undefined;

/** The validator. Compiling its rules takes seconds, so all validations of a process use one. */
const sharedEngine = (): Engine => {
  engine ??= new RegoEngine();
  return engine;
};

const keyOf = ({ ruleId, entity }: StandardDiagnostic): string => `${ruleId} ${entity?.logicalId ?? ""}`;

/** Runs AWS's validator on one template. */
const diagnose = (
  path: string,
  { file, region, accepted }: { file: string; region: string; accepted: Readonly<Record<string, string>> },
) => {
  const config = { severityLevel: "WARN", pseudoParameterOverrides: { region } } as const;
  const { status, diagnostics } = sharedEngine().validateStandard(new TemplateFile(path), config);
  const line = ({ ruleId, entity, propertyPath, message }: StandardDiagnostic): string => {
    const place = [entity?.logicalId, propertyPath].filter((part) => part !== undefined).join(" ");
    return `${file}: ${ruleId} ${place}: ${message}`;
  };
  const isWarning = ({ severity }: StandardDiagnostic): boolean => severity === "WARN";
  return {
    errors: [
      ...(status === "OK" ? [] : [`${file}: the validator could not analyse the template (${status})`]),
      ...diagnostics.filter((one) => !isWarning(one)).map(line),
    ],
    warnings: diagnostics.filter((one) => isWarning(one) && !(keyOf(one) in accepted)).map(line),
  };
};

/**
 * Validates the templates of a package.
 * @param folder the folder that the framework packaged into
 * @param region the region for which properties are judged
 * @param accepted the warnings that are left out
 */
export const findTemplateFaults = async (
  folder: string,
  region: string,
  accepted = ACCEPTED,
): Promise<TemplateFindings> => {
  const findings: TemplateFindings = { errors: [], warnings: [] };
  /** Reads a template, and adds its faults to the findings. */
  const read = async (file: string): Promise<Template> => {
    const path = join(folder, file);
    const template = Template.parse(JSON.parse(await readFile(path, "utf8")));
    const { errors, warnings } = diagnose(path, { file, region, accepted });
    const faults = referenceFaults(template).map((fault) => `${file}: ${fault}`);
    findings.errors.push(...errors, ...faults);
    findings.warnings.push(...warnings);
    return template;
  };
  await read(TEMPLATES.create);
  const service = await read(TEMPLATES.service);
  const nested = nestedFaults(service, NESTED, await read(TEMPLATES.roles));
  findings.errors.push(...nested.map((fault) => `${TEMPLATES.roles}: ${fault}`));
  return findings;
};

/**
 * Checks that CloudFormation would accept the templates of a package, and prints warnings.
 * @throws UserError naming every error
 */
export const requireValidTemplates = async (folder: string, region: string): Promise<void> => {
  const { errors, warnings } = await findTemplateFaults(folder, region);
  for (const warning of warnings) console.log(`Warning of AWS's validator: ${warning}`);
  if (errors.length > 0) {
    const all = errors.map((error) => `\n  ${error}`).join("");
    throw new UserError(
      `CloudFormation would reject the template, so nothing has been changed on AWS:${all}\nIf you changed serverless.yml or resources/, fix it there. Otherwise open an issue with this output.`,
    );
  }
  console.log("AWS's validator accepts the templates.");
};
