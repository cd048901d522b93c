/** The hash that a login cannot do without, and nothing else: the password as it is checked, by the same code. */
import { verifyPassword } from "../../lib/auth/password.ts";

export const handler = async ({ password, hash }: { password: string; hash: string }) => ({
  statusCode: 200,
  body: JSON.stringify({ right: await verifyPassword(password, hash) }),
});
