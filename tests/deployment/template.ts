/** The compiled CloudFormation templates. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import * as z from "zod/mini";
import { listedFunctions } from "../../scripts/project/functions.ts";

const Resource = z.object({
  Type: z.string(),
  DependsOn: z._default(
    z.pipe(
      z.union([z.string(), z.array(z.string())]),
      z.transform((names) => [names].flat()),
    ),
    [],
  ),
  Properties: z._default(z.record(z.string(), z.any()), {}),
  DeletionPolicy: z.optional(z.string()),
  UpdateReplacePolicy: z.optional(z.string()),
});
type Resource = z.infer<typeof Resource>;

const Template = z.object({
  Resources: z.record(z.string(), Resource),
});

/** Replaces the parameters of a nested template by what the service's template gives for them. */
const withReferences = (text: string, parameters: Resource["Properties"]): string =>
  Object.entries(parameters).reduce(
    (all, [name, value]) =>
      all
        .replaceAll(`{"Ref":"${name}"}`, JSON.stringify(value))
        .replaceAll(`\${${name}}`, `\${${value["Fn::GetAtt"].join(".")}}`),
    text,
  );

export type Compiled = ReturnType<typeof readTemplate>;

/** Reads the template that was packaged into a folder, and that of its nested stack. */
const readTemplate = (folder: string, stage: string) => {
  const text = readFileSync(join(folder, "cloudformation-template-update-stack.json"), "utf8");
  const { Resources: resources } = Template.parse(JSON.parse(text));
  const resource = (name: string): Resource => {
    const found = resources[name];
    if (found === undefined) throw new Error(`the template has no ${name}`);
    return found;
  };
  const nestedText = readFileSync(join(folder, "roles-template.json"), "utf8");
  const nested = Template.parse(
    JSON.parse(withReferences(nestedText, resource("Roles").Properties.Parameters)),
  );
  /** A role in the nested stack, with references to the service's resources in place of parameters. */
  const role = (name: string): Resource => {
    const found = nested.Resources[name];
    if (found?.Type !== "AWS::IAM::Role") throw new Error(`there is no role ${name}`);
    return found;
  };
  const ofType = (type: string) => Object.entries(resources).filter(([, { Type }]) => Type === type);
  /** The deployed functions by their name in `functions.yml`. */
  const functions = new Map<string, Resource>();
  for (const { name } of listedFunctions()) {
    const isOf = ([, one]: [string, Resource]) =>
      one.Properties.FunctionName === `zombie-game-${stage}-${name}`;
    const [, found] = ofType("AWS::Lambda::Function").find(isOf) ?? [];
    if (found === undefined) throw new Error(`${name} is not deployed`);
    functions.set(name, found);
  }
  return { folder, text, resources, resource, nestedText, role, ofType, functions };
};

const packages = inject("packages");
export const forTests = readTemplate(packages.forTests, "test-packages");
/** The template of a stage with a real game; setup.ts has its settings. */
export const forGame = readTemplate(packages.forGame, "spring");

export const arnOf = (name: string, attribute = "Arn") => ({ "Fn::GetAtt": [name, attribute] });
