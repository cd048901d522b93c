import { createHash } from "node:crypto";

/** The SHA-256 of bytes or text, in base64url. */
export const sha256 = (content: Uint8Array | string): string =>
  createHash("sha256").update(content).digest("base64url");
