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
export type Resource = z.infer<typeof Resource>;

const Template = z.object({
  Resources: z.record(z.string(), Resource),
  Outputs: z._default(z.record(z.string(), z.object({ Value: z.unknown() })), {}),
});
export type Template = z.infer<typeof Template>;

/** Reads the template that was packaged into a folder, and that of its nested stack. */
const readTemplate = (folder: string, stage: string) => {
  const text = readFileSync(join(folder, "cloudformation-template-update-stack.json"), "utf8");
  const service = Template.parse(JSON.parse(text));
  const { Resources: resources } = service;
  const resource = (name: string): Resource => {
    const found = resources[name];
    if (found === undefined) throw new Error(`the template has no ${name}`);
    return found;
  };
  const nestedText = readFileSync(join(folder, "roles-template.json"), "utf8");
  const roles = Template.parse(JSON.parse(nestedText));
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
  return {
    folder,
    text,
    resources,
    resource,
    nestedText,
    templates: { service, roles },
    ofType,
    functions,
  };
};

const packages = inject("packages");
export const forTests = readTemplate(packages.forTests, "test-packages");
/** The template of a stage with a real game; setup.ts has its settings. */
export const forGame = readTemplate(packages.forGame, "spring");

export const arnOf = (name: string, attribute = "Arn") => ({ "Fn::GetAtt": [name, attribute] });
