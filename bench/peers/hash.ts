/** Verifies a password, and does nothing else of a login, with the same code as the service. */
import { verifyPassword } from "../../lib/auth/password.ts";

export const handler = async ({ password, hash }: { password: string; hash: string }) => ({
  statusCode: 200,
  body: JSON.stringify({ matches: await verifyPassword(password, hash) }),
});
