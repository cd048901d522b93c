/** The file of invitations, from which a mail merge or a message to each player is made. */
import { paths } from "../../../paths.ts";
import { playersOrigin } from "../../ui/address.tsx";
import { toCsv } from "../../ui/csv.ts";
import { saveFile } from "../../ui/saveFile.ts";
import type { RowResult } from "./send.ts";

interface Invited {
  first_name: string | null;
  last_name: string | null;
  email: string | null;
}

const HEADS = ["alias", "first_name", "last_name", "email", "link", "recovery_code", "expires_at"];

/** The address at which a player accepts an invitation. The page fills in what the address has. */
const linkOf = (alias: string, code: string): string =>
  `${playersOrigin() ?? location.origin}${paths.recoverWith(alias, code)}`;

/** Saves the invitations among some results. @param personOf the player of a result */
export const saveInvitations = (
  results: Iterable<RowResult>,
  personOf: (result: RowResult) => Invited | undefined,
): void => {
  const lines = [...results].flatMap((result) => {
    const { alias, recovery_code: code, expires_at = "" } = result;
    if (alias === null || code === undefined) return [];
    const { first_name, last_name, email } = personOf(result) ?? {};
    const person = [alias, first_name ?? "", last_name ?? "", email ?? ""];
    return [[...person, linkOf(alias, code), code, expires_at]];
  });
  if (lines.length > 0) saveFile("invitations.csv", toCsv([HEADS, ...lines]));
};
