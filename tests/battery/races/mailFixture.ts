/** The mails of the game in which operations race: links that are valid, and mails that wait, were sent or refused. */
import { randomUUID } from "node:crypto";
import { sendMail } from "../../../lib/app/mail/sendMail.ts";
import { idOfToken, mailedRecoveryCode } from "../../../lib/auth/mailToken.ts";
import { HOUR, MINUTE } from "../../../lib/domain/time.ts";
import type { Services } from "../../../lib/lambda/services.ts";
import type { MailSettings } from "../../../lib/mail/settings.ts";
import { newEventId } from "../../../lib/runtime/eventId.ts";
import { readMailAccount } from "../../../lib/store/mail/mailAccounts.ts";
import { mailWrite, parseMail } from "../../../lib/store/mail/mails.ts";
import { MAIL_KEYS, makeBounced, makeConfirmation, WITH_MAIL } from "../../support/confirmation.ts";
import type { TestEnvironment } from "../../support/service.ts";
import { scan } from "../../support/table.ts";
import { type Game, PASSWORD } from "../game.ts";

export const addressOf = (alias: string): string => `${alias.toLowerCase()}@example.org`;

/**
 * The mails, by what they are: links to confirm Hal's address, for him and for Yan, who has entered it too; a link for Ida's
 * forgotten password; an invitation of Nia; an announcement to all, and one to Ida, whose address alone is confirmed; two to
 * Ada, whose address was refused. `refused` has failed, and the others wait.
 */
const MAILS = [
  "confirmation",
  "others",
  "recovery",
  "invitation",
  "toAll",
  "announcement",
  "refused",
  "test",
] as const;
export type MailName = (typeof MAILS)[number];

export interface Mails {
  ids: Record<MailName, string>;
  /** The tokens of the links that confirm an address. */
  tokens: { Hal: string; Yan: string };
  /** The codes of links that were sent: Ida's for a forgotten password, and Ned's invitation. */
  codes: { Ida: string; Ned: string };
}

/** Where the service of the races stores its messages. */
export const mailIn = (folder: string): MailSettings => ({
  ...WITH_MAIL,
  url: { given: [`outbox:${folder}`] },
});

/** Makes one attempt to send a mail. */
export const deliver = (services: Services, mail_id: string): Promise<void> =>
  sendMail(
    { services, requestId: randomUUID(), timeLeft: () => 50_000 },
    { kind: "mail", mail_id, notBefore: services.clock() },
  );

/** Makes the mails, at the present of the service, whose game masters are given. @param mail its settings while it sends mail */
export const makeMails = async (s: TestEnvironment, { who }: Game, mail: MailSettings) => {
  const { store } = s;
  const { db } = store;
  const as = who.Gus;
  const [now, before] = [s.services.clock(), s.services.clock() - HOUR / 2];
  const post = async (path: string, body: object) =>
    (await s.must(`POST ${path}/{url_id}`, { as, body })).body;
  const put = async (about: Parameters<typeof mailWrite>[1], at = now): Promise<string> => {
    const id = newEventId();
    await store.commit([mailWrite(id, about, at)], () => 10_000);
    return id;
  };
  for (const [alias, email] of [
    ["Ida", addressOf("Ida")],
    ["Hal", addressOf("Hal")],
    ["Yan", addressOf("Hal")],
    ["Ada", addressOf("Ada")],
  ] as const)
    await s.must("POST /edit_player/{url_id}", { as: who[alias], body: { email } });
  const link = (alias: "Ida" | "Hal" | "Yan", email: string) =>
    makeConfirmation(store, who[alias].id, email, now - MINUTE);
  await s.must("POST /confirm_email", { body: { token: await link("Ida", addressOf("Ida")) } });
  const tokens = { Hal: await link("Hal", addressOf("Hal")), Yan: await link("Yan", addressOf("Hal")) };
  const [confirmation = "", others = ""] = [tokens.Hal, tokens.Yan].map(
    (token) => idOfToken(MAIL_KEYS, "confirm", token) ?? "",
  );
  await post("/admin/import_players", {
    rows: ["Ned", "Nia"].map((alias) => ({ alias, email: addressOf(alias) })),
  });
  const [ned = "", nia = ""] = await Promise.all(
    ["Ned", "Nia"].map(async (alias) => (await store.playerByAlias(alias))?.player_id),
  );
  Object.assign(s.services, { mail });
  // A link may be sent once a minute.
  const then = { ...s.services, clock: () => before };
  const sent = await put({ kind: "recover", player_id: null, named: "Ida" }, before);
  await deliver(then, sent);
  await post("/admin/send_invitations", { aliases: ["Ned", "Nia"] });
  const invited = async (id: string) => (await readMailAccount(db, id)).invitation ?? "";
  await deliver(s.services, await invited(ned));
  const announce = async (title: string) => {
    const body = { title, content: "They come.", player_groups: "All", also_email: true };
    return (await post("/notifications/send", body)).notification.notification_id;
  };
  await deliver(s.services, await announce("Run"));
  const mails = (await scan(s)).flatMap((item) => (item.pk === "SECRET#OUTBOX" ? parseMail(item) : []));
  const announcement =
    mails.find(({ kind, player_id }) => kind === "announcement" && player_id !== null)?.mail_id ?? "";
  const ids: Mails["ids"] = {
    ...{ confirmation, others, announcement, invitation: await invited(nia) },
    recovery: await put({ kind: "recover", player_id: null, named: "Ida" }),
    toAll: await announce("Hide"),
    refused: await makeBounced(store, who.Ada.id, addressOf("Ada"), now),
    test: await put({ kind: "test", player_id: who.Ada.id }),
  };
  Object.assign(s.services, { mail: null });
  const codes = {
    Ida: mailedRecoveryCode(MAIL_KEYS, sent),
    Ned: mailedRecoveryCode(MAIL_KEYS, await invited(ned)),
  };
  const person = (alias: string, id: string) => ({ id, alias, password: PASSWORD, token: "", code: null });
  return { mails: { ids, tokens, codes }, invited: { Ned: person("Ned", ned), Nia: person("Nia", nia) } };
};
