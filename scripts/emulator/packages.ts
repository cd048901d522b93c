/** Reads the packages of the service as they would be deployed: the compiled template, and the zips of the functions. */
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { unzip } from "../bundle/unzip.ts";
import { listedFunctions } from "../project/functions.ts";
import { ROOT } from "../project/root.ts";

/** A function as the template describes it, unpacked. */
export interface PackagedFunction {
  /** Its name in `functions.yml`. */
  name: string;
  functionName: string;
  handler: string;
  /** In MB. */
  memory: number;
  /** The limit of an invocation, in seconds. */
  timeout: number;
  /** Its environment; a reference is an object. */
  variables: Record<string, unknown>;
  logGroup: string;
  /** Where its zip is unpacked. */
  folder: string;
}

/** A route of the HTTP API, such as `GET /player/{url_id}`, and the name of its function. */
export interface Route {
  key: string;
  name: string;
}

const FunctionProperties = z.object({
  FunctionName: z.string(),
  Handler: z.string(),
  MemorySize: z.int(),
  Timeout: z.int(),
  Runtime: z.literal("nodejs24.x"),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
  LoggingConfig: z.optional(z.object({ LogGroup: z.unknown() })),
});
const RouteProperties = z.object({
  RouteKey: z.string(),
  Target: z.object({
    "Fn::Join": z.tuple([z.string(), z.tuple([z.string(), z.object({ Ref: z.string() })])]),
  }),
});
const IntegrationProperties = z.object({
  PayloadFormatVersion: z.literal("2.0"),
  IntegrationUri: z.object({ "Fn::GetAtt": z.tuple([z.string(), z.literal("Arn")]) }),
});
const Template = z.object({
  Resources: z.record(z.string(), z.object({ Type: z.string(), Properties: z.optional(z.unknown()) })),
});

/**
 * Unpacks a function's zip. The package of `set_pfp` has sharp for Lambda's processor; on a machine with another one, this
 * project's own is in its place.
 */
const unpack = async (zip: string, folder: string): Promise<void> => {
  const entries = await unzip(await readFile(zip));
  const isForeign = process.arch !== "arm64";
  for (const [path, { contents }] of entries) {
    if (isForeign && path.startsWith("node_modules/")) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), contents);
  }
  if (isForeign && [...entries.keys()].some((path) => path.startsWith("node_modules/"))) {
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  }
};

/**
 * Reads a folder of packages and unpacks the functions.
 * @param packages the folder into which the framework has packaged
 * @param target where the functions are unpacked
 * @throws Error if a function of `functions.yml` is not in the template
 */
export const readPackages = async (
  packages: string,
  target: string,
): Promise<{ functions: PackagedFunction[]; routes: Route[] }> => {
  const file = join(packages, "cloudformation-template-update-stack.json");
  const { Resources } = Template.parse(JSON.parse(await readFile(file, "utf8")));
  const ofType = (type: string) => Object.entries(Resources).filter(([, { Type }]) => Type === type);
  const propertiesOf = (id: string): unknown => Resources[id]?.Properties;

  const names = new Map<string, string>();
  const functions: PackagedFunction[] = [];
  for (const { name } of listedFunctions()) {
    const found = ofType("AWS::Lambda::Function").find(([, { Properties }]) =>
      String(Object(Properties).FunctionName).endsWith(`-${name}`),
    );
    if (found === undefined) throw new Error(`the template has no function ${name}`);
    const [id, { Properties }] = found;
    const { FunctionName, Handler, MemorySize, Timeout, Environment, LoggingConfig } =
      FunctionProperties.parse(Properties);
    names.set(id, name);
    const folder = join(target, name);
    await unpack(join(packages, `${name}.zip`), folder);
    functions.push({
      ...{ name, folder, functionName: FunctionName, handler: Handler, memory: MemorySize, timeout: Timeout },
      variables: Environment.Variables,
      logGroup: String(LoggingConfig?.LogGroup ?? `/aws/lambda/${FunctionName}`),
    });
  }
  const routes = ofType("AWS::ApiGatewayV2::Route").map(([, { Properties }]) => {
    const { RouteKey, Target } = RouteProperties.parse(Properties);
    const { IntegrationUri } = IntegrationProperties.parse(propertiesOf(Target["Fn::Join"][1][1].Ref));
    const [id] = IntegrationUri["Fn::GetAtt"];
    const name = names.get(id);
    if (name === undefined) throw new Error(`${RouteKey} has no function`);
    return { key: RouteKey, name };
  });
  return { functions, routes };
};
