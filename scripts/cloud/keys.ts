/** The keys of a deployment: made at its first deploy, and changed with an overlap. */
import {
  DeleteParametersCommand,
  GetParameterCommand,
  ParameterAlreadyExists,
  ParameterNotFound,
  PutParameterCommand,
} from "@aws-sdk/client-ssm";
import * as z from "zod/mini";
import { DAY, instantOf, rfc3339 } from "../../lib/domain/time.ts";
import { PARAMETER_KEPT } from "../../lib/secrets/parameters.ts";
import { CURSOR_KEYS, VAPID_KEYS } from "../../lib/secrets/secrets.ts";
import { parseCursorKeys, parseVapidKeys } from "../../lib/secrets/stored.ts";
import { UserError } from "../cli/userError.ts";
import { makeKeys } from "../local/keys.ts";
import { explainingErrors } from "./awsErrors.ts";
import type { Clients } from "./clients.ts";
import type { Stage } from "./stage.ts";

type Cloud = Pick<Clients, "ssm" | "region">;

/** A new key is used after this: by then every process has read it. */
export const OVERLAP_MS = 2 * PARAMETER_KEPT;
/** So many fit into a parameter, twice over. */
const MOST_KEYS = 10;

/** A key as the parameter has it: from when on it is used, RFC 3339, and what it consists of. */
const Entry = z.catchall(z.object({ since: z.string() }), z.string());
type Entry = z.infer<typeof Entry>;

/** A kind of keys. */
interface Kind {
  parameter: string;
  words: string;
  /** Throws for what the functions could not use. */
  check: (text: string) => void;
  make: () => Promise<Record<string, string>>;
  /** How long one is of use after another has followed it, in milliseconds. */
  goodFor: number;
}

const cursorKind: Kind = {
  parameter: CURSOR_KEYS,
  words: "key of cursors",
  check: parseCursorKeys,
  make: async () => ({ key: (await makeKeys()).CURSOR_KEY }),
  // As long as somebody may read on.
  goodFor: DAY,
};

const vapidKind: Kind = {
  parameter: VAPID_KEYS,
  words: "VAPID key pair",
  check: parseVapidKeys,
  make: async () => {
    const { VAPID_PUBLIC_KEY: public_key, VAPID_PRIVATE_KEY: private_key } = await makeKeys();
    return { public_key, private_key };
  },
  // A browser is reached by the key that it subscribed with, for as long as it stays subscribed.
  goodFor: Number.POSITIVE_INFINITY,
};

/** The kinds, by what they are called in options. */
export const KEY_KINDS = { cursor: cursorKind, vapid: vapidKind };
export type KeyKind = keyof typeof KEY_KINDS;
export const KEY_KIND_NAMES = ["cursor", "vapid"] as const satisfies readonly KeyKind[];

const nameOf = ({ parameters }: Stage, { parameter }: { parameter: string }): string =>
  `${parameters}/${parameter}`;

const read = async (
  { ssm, region }: Cloud,
  name: string,
): Promise<{ text: string; version: number } | null> =>
  explainingErrors(region, `read the parameter ${name}`, async () => {
    try {
      const { Parameter } = await ssm.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
      return { text: Parameter?.Value ?? "", version: Parameter?.Version ?? 0 };
    } catch (error) {
      if (error instanceof ParameterNotFound) return null;
      throw error;
    }
  });

/** The keys that a parameter holds, the newest first. @throws UserError when it holds something else */
const entriesIn = (kind: Kind, name: string, text: string): Entry[] => {
  try {
    kind.check(text);
    const entries = z.array(Entry).parse(JSON.parse(text));
    return entries.toSorted((one, other) => instantOf(other.since) - instantOf(one.since));
  } catch {
    throw new UserError(
      `The parameter ${name} does not hold what it should: put back an earlier version of it in the console of Systems Manager, or delete it and deploy again (browsers must subscribe anew then).`,
    );
  }
};

/** What a deployment has of a kind of keys. */
export interface KeyStatus {
  name: string;
  count: number;
  /** From when on the newest is used, RFC 3339. */
  newest: string;
}

/** The keys of a kind; `null` where there are none. @throws UserError for some that are no good */
export const keyStatus = async (cloud: Cloud, stage: Stage, kindName: KeyKind): Promise<KeyStatus | null> => {
  const kind = KEY_KINDS[kindName];
  const name = nameOf(stage, kind);
  const found = await read(cloud, name);
  if (found === null) return null;
  const entries = entriesIn(kind, name, found.text);
  return { name, count: entries.length, newest: entries[0]?.since ?? "" };
};

/** Makes keys of these kinds; those that another has made meanwhile stay. @returns the names of those made */
export const createMissingKeys = async (
  cloud: Cloud,
  stage: Stage,
  missing: readonly KeyKind[],
  now: number,
): Promise<string[]> => {
  const made: string[] = [];
  for (const kind of missing.map((one) => KEY_KINDS[one])) {
    const name = nameOf(stage, kind);
    const Value = JSON.stringify([{ ...(await kind.make()), since: rfc3339(now) }]);
    await explainingErrors(cloud.region, `write the parameter ${name}`, async () => {
      try {
        await cloud.ssm.send(
          new PutParameterCommand({ Name: name, Type: "SecureString", Value, Overwrite: false }),
        );
        made.push(name);
      } catch (error) {
        if (!(error instanceof ParameterAlreadyExists)) throw error;
      }
    });
  }
  return made;
};

/** What a change of keys came to, or would. */
export interface Rotation {
  name: string;
  words: string;
  /** From when on the new one is used, in milliseconds since 1970. */
  since: number;
  /** How many older ones stay good, and how many go. */
  kept: number;
  dropped: number;
}

/**
 * Adds a key of a kind that is used from ten minutes on; older ones stay good.
 * @param dropOld leaves only the one in use beside it
 * @param dryRun tells, and writes nothing
 * @throws UserError when there is none yet, the one before is not used yet, or another changes it at the same time
 */
export const rotate = async (
  cloud: Cloud,
  stage: Stage,
  kindName: KeyKind,
  { now, dropOld, dryRun }: { now: number; dropOld: boolean; dryRun: boolean },
): Promise<Rotation> => {
  const kind = KEY_KINDS[kindName];
  const name = nameOf(stage, kind);
  const found = await read(cloud, name);
  if (found === null) {
    throw new UserError(
      `There is no ${kind.words} of the ${stage.words}: npm run deploy -- ${stage.options} makes it.`,
    );
  }
  const keys = entriesIn(kind, name, found.text);
  const [newest] = keys;
  if (newest !== undefined && instantOf(newest.since) > now) {
    throw new UserError(
      `The ${kind.words} that was made last is used from ${newest.since} on: wait until then.`,
    );
  }
  const since = now + OVERLAP_MS;
  const stays = keys.filter((_, at) => {
    const followedBy = keys[at - 1];
    if (followedBy === undefined) return true;
    return !dropOld && at < MOST_KEYS && now - instantOf(followedBy.since) <= kind.goodFor;
  });
  if (!dryRun) {
    const value = [{ ...(await kind.make()), since: rfc3339(since) }, ...stays];
    const { Version } = await explainingErrors(cloud.region, `write the parameter ${name}`, () =>
      cloud.ssm.send(
        new PutParameterCommand({
          Name: name,
          Type: "SecureString",
          Value: JSON.stringify(value),
          Overwrite: true,
        }),
      ),
    );
    if (Version !== found.version + 1) {
      throw new UserError(
        `Somebody else has changed ${name} at the same time, and one of the two new keys is lost: run npm run doctor -- ${stage.options}, and this again in ten minutes.`,
      );
    }
  }
  return { name, words: kind.words, since, kept: stays.length, dropped: keys.length - stays.length };
};

/** Removes the keys of a deployment. */
export const removeKeys = async ({ ssm, region }: Cloud, stage: Stage): Promise<void> => {
  const Names = Object.values(KEY_KINDS).map((kind) => nameOf(stage, kind));
  await explainingErrors(region, "remove the parameters", () =>
    ssm.send(new DeleteParametersCommand({ Names })),
  );
};
