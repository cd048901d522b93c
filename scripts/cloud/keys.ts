/** The keys of a deployment: created by its first deploy and rotated with an overlap. */
import {
  DeleteParametersCommand,
  GetParameterCommand,
  ParameterAlreadyExists,
  ParameterNotFound,
  PutParameterCommand,
} from "@aws-sdk/client-ssm";
import * as z from "zod/mini";
import { instantOf, rfc3339 } from "../../lib/domain/time.ts";
import { PARAMETER_TTL_MS } from "../../lib/secrets/parameters.ts";
import { parseCursorKeys, parseMailKeys, parseVapidKeys } from "../../lib/secrets/parseKeys.ts";
import { CURSOR_KEYS, MAIL_KEYS, MAIL_URL, VAPID_KEYS } from "../../lib/secrets/secrets.ts";
import { UserError } from "../cli/userError.ts";
import { makeKeys } from "../local/keys.ts";
import { explainingErrors } from "./awsErrors.ts";
import type { Clients } from "./clients.ts";
import type { Stage } from "./stage.ts";

type Cloud = Pick<Clients, "ssm" | "region">;

/** A new key is used after this time in milliseconds; by then every process has read it. */
export const OVERLAP_MS = 2 * PARAMETER_TTL_MS;
/** The maximum number of keys besides a new one. A parameter has room for twice as many. */
const MAX_KEYS = 10;

/** A key in the parameter: `since` is when it is first used (RFC 3339), the rest is the key itself. */
const Entry = z.catchall(z.object({ since: z.string() }), z.string());
type Entry = z.infer<typeof Entry>;

interface Kind {
  parameter: string;
  label: string;
  /** Throws if the functions could not use the keys. */
  check: (text: string) => void;
  make: () => Promise<Record<string, string>>;
}

const cursorKind: Kind = {
  parameter: CURSOR_KEYS,
  label: "cursor key",
  check: parseCursorKeys,
  make: async () => ({ key: (await makeKeys()).CURSOR_KEY }),
};

const vapidKind: Kind = {
  parameter: VAPID_KEYS,
  label: "VAPID key pair",
  check: parseVapidKeys,
  make: async () => {
    const { VAPID_PUBLIC_KEY: public_key, VAPID_PRIVATE_KEY: private_key } = await makeKeys();
    return { public_key, private_key };
  },
};

const mailKind: Kind = {
  parameter: MAIL_KEYS,
  label: "mail key",
  check: parseMailKeys,
  make: async () => ({ key: (await makeKeys()).CURSOR_KEY }),
};

/** The kinds of keys, by the name of their option. */
export const KEY_KINDS = { cursor: cursorKind, vapid: vapidKind, mail: mailKind };
export type KeyKind = keyof typeof KEY_KINDS;
export const KEY_KIND_NAMES = ["cursor", "vapid", "mail"] as const satisfies readonly KeyKind[];

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

/** Parses the keys in a parameter, newest first. @throws UserError if they are invalid */
const entriesIn = (kind: Kind, name: string, text: string): Entry[] => {
  try {
    kind.check(text);
    const entries = z.array(Entry).parse(JSON.parse(text));
    return entries.toSorted((one, other) => instantOf(other.since) - instantOf(one.since));
  } catch {
    throw new UserError(
      `The parameter ${name} is invalid. Restore an earlier version in the console of Systems Manager, or delete the parameter and deploy again (then browsers must subscribe again).`,
    );
  }
};

/** The keys of one kind in a deployment. */
export interface KeyStatus {
  name: string;
  count: number;
  /** When the newest key is first used, RFC 3339. */
  newest: string;
}

/** Returns the keys of a kind, or `null` if there are none. @throws UserError if they are invalid */
export const keyStatus = async (cloud: Cloud, stage: Stage, kindName: KeyKind): Promise<KeyStatus | null> => {
  const kind = KEY_KINDS[kindName];
  const name = nameOf(stage, kind);
  const found = await read(cloud, name);
  if (found === null) return null;
  const entries = entriesIn(kind, name, found.text);
  return { name, count: entries.length, newest: entries[0]?.since ?? "" };
};

/**
 * Creates keys of these kinds, unless another process has just created them. @returns the names of the created
 * parameters
 */
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

/** The result of a key rotation. */
export interface Rotation {
  name: string;
  label: string;
  /** When the new key is first used, in milliseconds since 1970. */
  since: number;
  /** How many older keys stay valid, and how many are removed. */
  kept: number;
  dropped: number;
}

/**
 * Adds a key that is used after {@link OVERLAP_MS}. Older keys stay valid, because what they are for lasts: the answers of
 * signatures are encrypted by a key derived from the cursor key, a push service accepts only the key that the browser
 * subscribed with, and a link in a mail ends a kind of mails for good.
 * @param dropOld keeps only the current key besides the new one
 * @param dryRun writes nothing
 * @throws UserError if there are no keys yet or too many, the previous rotation is still pending, or another process changes
 *   the parameter
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
      `There is no ${kind.label} for ${stage.label}. Create it with npm run deploy -- ${stage.options}`,
    );
  }
  const keys = entriesIn(kind, name, found.text);
  const [newest] = keys;
  if (newest !== undefined && instantOf(newest.since) > now) {
    throw new UserError(`The last ${kind.label} is not used before ${newest.since}. Wait until then.`);
  }
  if (!dropOld && keys.length > MAX_KEYS) {
    throw new UserError(
      `There are ${keys.length} ${kind.label}s, as many as there may be. Remove all but the current one with --drop-old: npm run rotate -- --help says what is lost with them.`,
    );
  }
  const since = now + OVERLAP_MS;
  const stays = dropOld ? keys.slice(0, 1) : keys;
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
        `Another process changed ${name} at the same time, and one of the two new keys is lost. Run npm run doctor -- ${stage.options}, and repeat this in ten minutes.`,
      );
    }
  }
  return { name, label: kind.label, since, kept: stays.length, dropped: keys.length - stays.length };
};

/**
 * Writes the address of the mail server, or removes it, if it has changed. @returns whether something was changed
 * @param url empty for none
 */
export const writeMailUrl = async ({ ssm, region }: Cloud, stage: Stage, url: string): Promise<boolean> => {
  const Name = nameOf(stage, { parameter: MAIL_URL });
  const found = await read({ ssm, region }, Name);
  if ((found?.text ?? "") === url) return false;
  await explainingErrors(region, `write the parameter ${Name}`, () =>
    url === ""
      ? ssm.send(new DeleteParametersCommand({ Names: [Name] }))
      : ssm.send(new PutParameterCommand({ Name, Type: "SecureString", Value: url, Overwrite: true })),
  );
  return true;
};

/** Deletes the keys of a deployment, and the address of its mail server. */
export const removeKeys = async ({ ssm, region }: Cloud, stage: Stage): Promise<void> => {
  const Names = [...Object.values(KEY_KINDS), { parameter: MAIL_URL }].map((kind) => nameOf(stage, kind));
  await explainingErrors(region, "delete the parameters", () =>
    ssm.send(new DeleteParametersCommand({ Names })),
  );
};
