/** What the tests of the local queue and of the local stream share: temporary resources, and a worker. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";

export const REGION = "eu-central-1";
export const TABLE = "a-game";
export const credentials = { accessKeyId: "local", secretAccessKey: "local" };

/** Returns a function that registers what is closed after each test of the file, the last first. */
export const closeAfterEach = (): ((close: () => unknown) => void) => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });
  return (close) => void closing.push(close);
};

/** Creates a folder that is removed after the test. */
export const tempFolder = async (later: (close: () => unknown) => void): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "workers-"));
  later(() => rm(folder, { recursive: true }));
  return folder;
};

/** A worker with these responses, and the events of its calls. */
export const workerOf = <Event>(respond: (event: Event, call: number) => unknown = () => null) => {
  const events: Event[] = [];
  const invoke = async (event: unknown): Promise<unknown> => {
    // Lambda serializes it to JSON too.
    const given: Event = JSON.parse(JSON.stringify(event));
    events.push(given);
    return respond(given, events.length);
  };
  return { invoke, events };
};
