/** Reads the compiled CloudFormation template. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { listedFunctions } from "../../scripts/project/functions.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test asserts what it reads
type Properties = Record<string, any>;

export interface Resource {
  Type: string;
  Condition?: string | undefined;
  DependsOn?: string[] | undefined;
  Properties: Properties;
  DeletionPolicy?: string | undefined;
  UpdateReplacePolicy?: string | undefined;
}

const Template = z.object({
  Conditions: z._default(z.record(z.string(), z.unknown()), {}),
  Outputs: z._default(z.record(z.string(), z.unknown()), {}),
  Resources: z.record(
    z.string(),
    z.looseObject({
      Type: z.string(),
      Condition: z.optional(z.string()),
      DependsOn: z.optional(
        z.pipe(
          z.union([z.string(), z.array(z.string())]),
          z.transform((names) => [names].flat()),
        ),
      ),
      Properties: z._default(z.record(z.string(), z.any()), {}),
      DeletionPolicy: z.optional(z.string()),
      UpdateReplacePolicy: z.optional(z.string()),
    }),
  ),
});

export interface Compiled {
  /** The uploaded text. */
  text: string;
  conditions: Readonly<Record<string, unknown>>;
  outputs: Readonly<Record<string, unknown>>;
  resources: Readonly<Record<string, Resource>>;
  resource: (name: string) => Resource;
  /** The template of the nested stack. */
  nestedText: string;
  /** The roles in the nested stack, with references to the service's resources in place of parameters. */
  role: (name: string) => Resource;
  ofType: (type: string) => [string, Resource][];
  /** The deployed functions by their name in `functions.yml`. */
  functions: ReadonlyMap<string, Resource>;
}

/** Replaces the parameters of a nested template by what the service's template gives for them. */
const withReferences = (text: string, parameters: Properties): string =>
  Object.entries(parameters).reduce(
    (all, [name, value]) =>
      all
        .replaceAll(`{"Ref":"${name}"}`, JSON.stringify(value))
        .replaceAll(`\${${name}}`, `\${${value["Fn::GetAtt"].join(".")}}`),
    text,
  );

/** Reads the template that was packaged into a folder. */
export const readTemplate = (folder: string, stage: string): Compiled => {
  const text = readFileSync(join(folder, "cloudformation-template-update-stack.json"), "utf8");
  const { Conditions: conditions, Outputs: outputs, Resources: resources } = Template.parse(JSON.parse(text));
  const resource = (name: string): Resource => {
    const found = resources[name];
    if (found === undefined) throw new Error(`the template has no ${name}`);
    return found;
  };
  const nestedText = readFileSync(join(folder, "roles-template.json"), "utf8");
  const nested = Template.parse(
    JSON.parse(withReferences(nestedText, resource("Roles").Properties.Parameters)),
  );
  const role = (name: string): Resource => {
    const found = nested.Resources[name];
    if (found?.Type !== "AWS::IAM::Role") throw new Error(`there is no role ${name}`);
    return found;
  };
  const ofType = (type: string) => Object.entries(resources).filter(([, { Type }]) => Type === type);
  const deployed = new Map(
    ofType("AWS::Lambda::Function").map(([, one]) => [one.Properties.FunctionName, one]),
  );
  const functions = new Map(
    listedFunctions().map(({ name }): [string, Resource] => {
      const found = deployed.get(`zombie-game-${stage}-${name}`);
      if (found === undefined) throw new Error(`${name} is not deployed`);
      return [name, found];
    }),
  );
  return { text, conditions, outputs, resources, resource, nestedText, role, ofType, functions };
};
