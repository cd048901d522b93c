/** The hash that every login computes, alone and by the same code. */
import { verifyPassword } from "../../lib/auth/password.ts";

export const handler = async ({ password, hash }: { password: string; hash: string }) => ({
  statusCode: 200,
  body: JSON.stringify({ right: await verifyPassword(password, hash) }),
});
