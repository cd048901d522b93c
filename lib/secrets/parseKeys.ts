/** Parses the parameters that contain a deployment's keys. */
import * as z from "zod/mini";
import { instantOf } from "../domain/time.ts";
import { base64url } from "../runtime/env.ts";
import type { CursorKey, MailKey, VapidPair } from "./secrets.ts";

const since = z.pipe(z.iso.datetime(), z.transform(instantOf));

const CursorKeys = z.array(z.object({ key: base64url(32), since })).check(z.minLength(1));
const VapidKeys = z
  .array(z.object({ public_key: base64url(65), private_key: base64url(32), since }))
  .check(z.minLength(1));

/** @throws Error if the text is invalid */
export const parseCursorKeys = (text: string): CursorKey[] => CursorKeys.parse(JSON.parse(text));

/** @throws Error if the text is invalid */
export const parseMailKeys = (text: string): MailKey[] => CursorKeys.parse(JSON.parse(text));

/** @throws Error if the text is invalid */
export const parseVapidKeys = (text: string): VapidPair[] =>
  VapidKeys.parse(JSON.parse(text)).map(({ public_key, private_key, since }) => ({
    publicKey: public_key,
    privateKey: private_key,
    since,
  }));
