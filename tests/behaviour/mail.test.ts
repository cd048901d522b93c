/** Mail: what is sent to a server that behaves and to one that does not, how often, how fast, and with which headers. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { simpleParser } from "mailparser";
import { expect, it, vi } from "vitest";
import { senderName } from "../../lib/domain/mail/content.ts";
import { type MailKind, mailKinds, WORKER_ENDED_MS } from "../../lib/domain/mail/mail.ts";
import { DAY, HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import { makeMailSender } from "../../lib/mail/sender.ts";
import { mailSettings } from "../../lib/mail/settings.ts";
import { parseEnv } from "../../lib/runtime/env.ts";
import { newEventId } from "../../lib/runtime/eventId.ts";
import { keySources } from "../../lib/secrets/secrets.ts";
import { keys } from "../../lib/store/keys.ts";
import { mailEntries, mailWrite, parseMail, readMail, readPace } from "../../lib/store/mail/mails.ts";
import { ASSUMED } from "../../scripts/cost/assumptions.ts";
import { makeCertificate } from "../support/certificate.ts";
import { listen } from "../support/listen.ts";
import { logLines } from "../support/logLines.ts";
import { mailEnvironment, PAGES } from "../support/mailEnvironment.ts";
import { recordMetrics, sumByName } from "../support/recordedMetrics.ts";
import { PASSWORD, type TestPlayer } from "../support/service.ts";
import { expectRefused } from "../support/shortRequests.ts";
import { type Behaviour, startSmtpServer } from "../support/smtpServer.ts";
import { scan } from "../support/table.ts";
import { useTempDir } from "../support/tempDir.ts";

const { s, deliver, giveAddress, readStream, server, use, work, workBy, waiting } = mailEnvironment();
const counted = recordMetrics();
const lines = logLines();

/** Registers somebody with an address, who gets a link to confirm it. @returns the player id */
const register = async (alias: string, email = `${alias.toLowerCase()}@example.com`): Promise<string> =>
  (await s.must("POST /new", { body: { alias, password: PASSWORD, email } })).body.player_id;

/** Registers somebody with an address, without a link to confirm it. @returns the player id */
const enter = async (...named: Parameters<typeof register>): Promise<string> => {
  const { mail } = s.services;
  s.services.mail = null;
  const id = await register(...named);
  s.services.mail = mail;
  return id;
};

/** Puts tests into the outbox. @returns their ids */
const post = async (...players: string[]): Promise<string[]> => {
  const ids = players.map(() => newEventId());
  const writes = ids.map((id, at) => mailWrite(id, { kind: "test", player_id: players[at] ?? "" }, s.now));
  for (let from = 0; from < writes.length; from += 100)
    await s.store.commit(writes.slice(from, from + 100), () => 10_000);
  return ids;
};

const stateOf = async (id: string | undefined) => {
  const mail = await readMail(s.store.db, id ?? "");
  return mail === null ? null : { state: mail.state, tries: mail.tries, reason: mail.reason };
};
const recipients = (): string[] => server().received.map(({ recipient }) => recipient);

const NEXT = "a better horse battery";

type Cause = (players: readonly TestPlayer[], gm: TestPlayer) => Promise<unknown>;
const ofEach =
  (cause: (player: TestPlayer) => Promise<unknown>): Cause =>
  async (players) => {
    for (const player of players) await cause(player);
  };
const withNewAddress = ofEach((as) => {
  const body = { email: `new.${as.alias.toLowerCase()}@example.com`, current_password: PASSWORD };
  return s.must("POST /edit_player/{url_id}", { as, body });
});

/** What causes a mail of each kind, in an order in which none prevents another. A new kind needs a line. */
const CAUSES: Record<MailKind, Cause> = {
  announcement: async (_, as) => {
    const body = { title: "Supply drop", content: "At the library.", player_groups: "All", also_email: true };
    await s.must("POST /notifications/send/{url_id}", { as, body: { ...body, audience: "humans" } });
    // The mails are written, and wait in the stream.
    await work(SECOND);
  },
  test: ofEach(({ id }) => post(id)),
  confirm: withNewAddress,
  address_change: withNewAddress,
  recover: ofEach(({ alias }) => s.must("POST /forgot_password", { body: { alias_or_email: alias } })),
  password_changed: ofEach(({ alias }) => {
    const body = { alias, current_password: PASSWORD, new_password: NEXT };
    return s.must("POST /change_password", { body });
  }),
  invite: async (players, as) => {
    for (const { id } of players) {
      const [key, to] = [keys.credential(id), { invited: true }];
      const { rev = 0 } = (await s.store.account(id)).credential ?? {};
      await s.store.commit([{ set: key, to, by: { rev: 1 }, expect: { rev } }], () => 10_000);
    }
    const aliases = players.map(({ alias }) => alias);
    await s.must("POST /admin/send_invitations/{url_id}", { as, body: { aliases } });
  },
};

it("a mail is sent once, in the game's name, as plain text and HTML", async () => {
  const gm = await s.admin();
  await s.must("POST /admin/settings/{url_id}", { as: gm, body: { name: "Spring <Invitational>" } });
  const [id] = await post(await enter("Ada"));
  await work();
  const [mail] = server().received;
  expect(mail?.from?.text).toBe('"Humans vs Zombies" <game@example.org>');
  expect(mail?.to).toMatchObject({ text: "ada@example.com" });
  expect(mail?.subject).toBe("Test of mail from Spring <Invitational>");
  expect(mail?.text).toContain(`Open the game:\n${PAGES}`);
  expect(mail?.html).toContain("Spring &lt;Invitational&gt; can send mail.");
  expect(mail?.html).not.toMatch(/<img|<script|src=|url\(/);
  expect(mail?.messageId).toBe(`<${id}@example.org>`);
  expect(mail?.headers.get("auto-submitted")).toBe("auto-generated");
  expect(await stateOf(id)).toMatchObject({ state: "sent", tries: 1 });
  expect(recipients()).toEqual(["ada@example.com"]);
});

it("of two workers that take a mail at the same time, one sends it in the time that it has for it, or the other one if that one ends", async () => {
  const deliver = (id: string, copies: number): void => {
    const body = JSON.stringify({ kind: "mail", mail_id: id, notBefore: s.now });
    waiting.push(...Array.from({ length: copies }, () => ({ body, due: s.now })));
  };
  const [id = ""] = await post(await enter("Ada"));
  const leases: Promise<number>[] = [];
  server().behave((to) => {
    const remaining = async () => ((await readMail(s.store.db, id))?.lease_until ?? 0) - s.now;
    if (to !== "") leases.push(remaining());
    return { delayMs: 150 };
  });
  deliver(id, 8);
  await work(2 * MINUTE);
  expect(recipients()).toEqual(["ada@example.com"]);
  expect(Math.min(...(await Promise.all(leases)))).toBeGreaterThan(MINUTE);

  const [next = ""] = await post(await enter("Ben"));
  deliver(next, 1);
  s.beforeCall = (call, [key]) => {
    if (call !== "get" || key?.sk !== "PROFILE") return;
    s.beforeCall = undefined;
    throw new Error("the process that has claimed the mail was killed here");
  };
  await work();
  // Both had the same message, and the one that was late has deleted it.
  waiting.push(...waiting.splice(0).filter(({ due }) => due < s.now + 5 * MINUTE));
  await work(2 * MINUTE);
  expect(recipients()).toEqual(["ada@example.com", "ben@example.com"]);
});

it.each<[name: string, behaviour: Behaviour, reason: RegExp]>([
  ["answers 4xx to the recipient", { at: "rcpt", code: 450 }, /EENVELOPE RCPT TO 450/],
  ["answers 4xx to the message", { at: "data", code: 451 }, /EMESSAGE DATA 451/],
  ["refuses the connection with 4xx", { at: "connect", code: 421 }, /421/],
  ["drops the connection in the middle of the message", "drop in data", /ECONNECTION|ESOCKET/],
  ["hangs from the beginning", "hang", /ETIMEDOUT/],
  ["hangs after the message", "hang in data", /ETIMEDOUT/],
  ["responds to the message without an end", "respond forever", /ETIMEDOUT/],
  ["answers 4xx to the sender", { at: "mail", code: 451 }, /EENVELOPE MAIL FROM 451/],
  ["refuses the sender", { at: "mail", code: 550 }, /EENVELOPE MAIL FROM 550/],
])("a server that %s gets the mail again within 30 seconds, and once", async (_, behaviour, reason) => {
  const [id] = await post(await enter("Ada"));
  server().behave(() => behaviour);
  if (String(reason) === "/ETIMEDOUT/") use({ timeoutMs: SECOND / 2 });
  await work();
  use({});
  expect(server().received).toEqual([]);
  const before = await stateOf(id);
  expect(before).toMatchObject({ state: "queued", tries: 1, reason: expect.stringMatching(reason) });
  expect(before?.reason).not.toContain("secret-text");
  // The mail's change in the stream does not queue it again.
  await readStream();
  expect(waiting).toHaveLength(1);
  server().behave(() => "accept");
  await work(30 * SECOND);
  expect(recipients()).toEqual(["ada@example.com"]);
  expect(await stateOf(id)).toMatchObject({ state: "sent", tries: 2 });
});

it.each([
  ["421 to the recipient", "server, so all mails wait", { at: "rcpt", code: 421 }, 1],
  ["450 to the recipient", "recipient alone, so others are sent", { at: "rcpt", code: 450 }, 0],
  ["451 to the sender", "server, so all mails wait", { at: "mail", code: 451 }, 1],
  // What MAIL_FROM lacks is the operator's fault, and is lacking for every mail.
  ["553 to the sender", "server, so all mails wait", { at: "mail", code: 553 }, 1],
] as const)("an answer %s is about the %s", async (_, __, behaviour, failures) => {
  await post(await enter("Ada"));
  server().behave(() => behaviour);
  await work();
  expect(await readPace(s.store.db)).toMatchObject({ failures });
  server().behave(() => "accept");
  await post(await enter("Ben"));
  await work(SECOND);
  expect(recipients()).toEqual(failures === 0 ? ["ben@example.com"] : []);
  await work(MINUTE);
  expect(recipients().toSorted()).toEqual(["ada@example.com", "ben@example.com"]);
});

it("nothing is lost while no server listens, its certificate is wrong, it has no TLS, or the password is wrong", async () => {
  const [id] = await post(await enter("Ada"));
  const { port } = server();
  const { key, cert } = makeCertificate();
  const withTls = await startSmtpServer({ secure: true, key, cert });
  const closed = createServer();
  const closedPort = await listen(closed);
  await new Promise((resolve) => closed.close(resolve));
  for (const url of [
    `smtp://127.0.0.1:${closedPort}`,
    `smtps://127.0.0.1:${port}`,
    `smtps://127.0.0.1:${withTls.port}`,
    `smtp://user:wrong@127.0.0.1:${port}`,
  ]) {
    use({ url: { given: [url] } });
    await work(6 * MINUTE);
    expect(await stateOf(id)).toMatchObject({ state: "queued" });
  }
  expect([...server().received, ...withTls.received]).toEqual([]);
  const url = `smtps://user:${encodeURIComponent("s3cret/+@")}@127.0.0.1:${withTls.port}`;
  use({ url: { given: [url] }, ca: cert });
  await work(6 * MINUTE);
  expect(withTls.received.map(({ recipient }) => recipient)).toEqual(["ada@example.com"]);
  await withTls.stop();
});

const MESSAGE = {
  ...{ id: "1", from: { name: "Game", address: "game@example.org" }, to: "ada@example.com", date: 0 },
  content: { subject: "Hello", parts: [] },
};

it("a server elsewhere gets a mail after STARTTLS alone, with a certificate that is valid", async () => {
  const { key, cert } = makeCertificate();
  const upgrading = await startSmtpServer({ disabledCommands: [], key, cert });
  const sendTo = async (port: number, ca?: string) => {
    const elsewhere = { kind: "smtp", host: "127.0.0.1", port, isSecure: false, isLoopback: false } as const;
    return (await makeMailSender(elsewhere, { ca, timeoutMs: 2 * SECOND }).send(MESSAGE)).result;
  };
  expect(await sendTo(server().port)).toBe("server");
  expect(await sendTo(upgrading.port)).toBe("server");
  expect(upgrading.received).toEqual([]);
  expect(await sendTo(upgrading.port, cert)).toBe("sent");
  await upgrading.stop();
});

it("a connection is used again, is replaced if the server has ended it, and is closed when nothing follows", async () => {
  const { port } = server();
  const here = { kind: "smtp", host: "127.0.0.1", port, isSecure: false, isLoopback: true } as const;
  const sender = makeMailSender(here, { timeoutMs: 1.5 * SECOND });
  const send = async (): Promise<string> => (await sender.send(MESSAGE)).result;
  expect([await send(), await send(), server().connections.count]).toEqual(["sent", "sent", 1]);
  // At the third message the connection ends, as one does that has waited for too long.
  server().behave(() => (server().connections.count === 1 ? "drop at mail" : "accept"));
  expect([await send(), server().connections.count]).toEqual(["sent", 2]);
  await expect.poll(server().open, { timeout: SECOND }).toBe(0);
  // A server that ends every connection is not tried again and again.
  server().behave(() => "drop");
  expect([await send(), server().connections.count]).toEqual(["server", 4]);
  expect(server().received).toHaveLength(3);
});

const pathOf = useTempDir();

it("outbox: stores each mail once, whose headers no alias, subject or name of a game can break", async () => {
  const folder = pathOf("mail");
  const evil = "A\r\nBcc: all@example.org\r\n\r\n<b>\u202e\0";
  const message = {
    ...{ id: "a-mail", from: { name: senderName(evil), address: "game@example.org" }, date: 0 },
    to: "ada@example.com",
    content: { subject: evil.repeat(1_000), parts: [{ text: evil }, { link: PAGES, label: evil }] },
    unsubscribe: `${PAGES}/unsubscribe_email?token=x`,
  };
  const sender = makeMailSender({ kind: "outbox", folder });
  await sender.send(message);
  await sender.send(message);
  expect(readdirSync(folder).toSorted()).toEqual(["a-mail.eml", "a-mail.json"]);
  const raw = readFileSync(join(folder, "a-mail.eml"), "utf8");
  const mail = await simpleParser(raw);
  expect([...mail.headers.keys()].toSorted()).toEqual([
    ...[
      "auto-submitted",
      "content-type",
      "date",
      "from",
      "list",
      "message-id",
      "mime-version",
      "subject",
      "to",
    ],
  ]);
  expect(raw).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
  expect(mail.subject).toHaveLength(150);
  expect(mail.html).not.toContain("<b>");
  expect(mail.text).not.toMatch(/[\0\u202e]/);
  for (const line of raw.split("\r\n")) expect(line.length).toBeLessThan(999);
});

it.each([
  ["Spring 2027", "Spring 2027"],
  ["Игра людей", "Игра людей"],
  ["Pаypal", "Humans vs Zombies"],
  ["game@bank.example", "Humans vs Zombies"],
  ["\r\n", "Humans vs Zombies"],
])("the sender of the game %j is %s", (name, sender) => {
  expect(senderName(name)).toBe(sender);
});

it("a refusal of the address suppresses it, one of the message or the sender ends it, and none is retried", async () => {
  const players = [await enter("Ada"), await enter("Ben"), await enter("Cid")];
  const answers: Record<string, Behaviour> = {
    ...{ "ada@example.com": { at: "rcpt", code: 550 }, "ben@example.com": { at: "data", code: 554 } },
    // "5.7.0 Authentication required": many servers say only here what they have against the sender.
    "cid@example.com": { at: "rcpt", code: 530 },
  };
  server().behave((recipient) => answers[recipient] ?? "accept");
  const ids = await post(...players);
  await work(MINUTE);
  const states = await Promise.all(ids.map(stateOf));
  expect(states).toMatchObject([
    { state: "bounced", tries: 1, reason: "EENVELOPE RCPT TO 550" },
    { state: "failed", tries: 1, reason: "EMESSAGE DATA 554" },
    { state: "failed", tries: 1, reason: "EENVELOPE RCPT TO 530" },
  ]);
  server().behave(() => "accept");
  const again = await post(...players);
  await work(MINUTE);
  expect(await Promise.all(again.map(stateOf))).toMatchObject([
    { state: "dropped", tries: 1, reason: "the address is suppressed" },
    { state: "sent" },
    { state: "sent" },
  ]);
  expect(recipients().toSorted()).toEqual(["ben@example.com", "cid@example.com"]);
  expect(sumByName(counted)).toMatchObject({ MailRefused: 300, MailFailed: 2, MailSent: 2 });
});

it("a worker that ends after the server's acceptance, before its record, sends the same message again", async () => {
  const [id] = await post(await enter("Ada"));
  server().behave((_, attempt) => (attempt === 1 ? "drop after data" : "accept"));
  await work(MINUTE);
  // The one instant in which a mail is sent twice; recipients recognise it by its Message-ID.
  expect(server().received.map(({ messageId }) => messageId)).toEqual(Array(2).fill(`<${id}@example.org>`));
  expect(await stateOf(id)).toMatchObject({ state: "sent", tries: 2 });
});

it("a worker that is killed while it sends leaves the mail to another one, after its lease", async () => {
  const [id = ""] = await post(await enter("Ada"));
  const mail = await readMail(s.store.db, id);
  // As the process left it that claimed the mail and ended.
  await s.store.db.put({
    ...{ ...mail, ...keys.mail(id), rev: 2, state: "sending", tries: 1 },
    lease_until: s.now + WORKER_ENDED_MS,
  });
  await work(60 * SECOND);
  waiting.push({ body: JSON.stringify({ kind: "mail", mail_id: id, notBefore: s.now }), due: s.now });
  await work();
  expect(recipients()).toEqual([]);
  // At this rate the next slot is in an hour.
  use({ perMinute: 1 / 60 });
  await post("nobody");
  await work(2 * MINUTE);
  expect(await stateOf(id)).toMatchObject({ state: "queued", reason: "its sending was interrupted" });
  await work(2 * HOUR);
  expect(recipients()).toEqual(["ada@example.com"]);
});

it("mails to many go out at the set rate, each once, in both lanes together", async () => {
  const [gm, people] = [await s.admin(), 8];
  const all: TestPlayer[] = [];
  for (let n = 0; n < people; n += 1) all.push(await s.join(`Player-${n}`));
  for (const player of all) await giveAddress(player);
  await CAUSES.announcement(all, gm);
  use({ perMinute: 30 });
  await post(...all.map(({ id }) => id));
  const began = s.now;
  const at: number[] = [];
  const receive = server().received.push;
  vi.spyOn(server().received, "push").mockImplementation(function (this: never, ...mails) {
    at.push(s.now - began);
    return receive.apply(this, mails);
  });
  await work(3 * MINUTE);
  const each = Object.values(Object.groupBy(recipients(), (to) => to));
  expect(each.map((mails) => mails?.length)).toEqual(Array(people).fill(2));
  // Two seconds apart, and at most five seconds' worth at once.
  for (const [index, time] of at.entries())
    expect(time).toBeGreaterThanOrEqual((index - 2) * 2 * SECOND - SECOND);
});

it("while the server cannot be used one mail at a time tries it, and all are sent as soon as it can", async () => {
  const players = [await s.join("Ada"), await s.join("Ben")];
  for (const player of players) await giveAddress(player);
  const both = players.map(({ id }) => id);
  // All are due at the same time.
  use({ perMinute: 6_000_000 });
  await post(...both);
  server().behave(() => ({ at: "connect", code: 421 }));
  await work();
  // What comes later waits with the others.
  await post(...both);
  const first = server().connections.count;
  await work(20 * MINUTE);
  // After 20 seconds, 1, 3, and then every 5 minutes: those that failed together count once.
  expect(server().connections.count - first).toBe(6);
  server().behave(() => "accept");
  await work(6 * MINUTE);
  expect(recipients()).toHaveLength(4);
  expect(sumByName(counted)).toMatchObject({ MailSent: 4, MailRetried: first + 6, MailStuck: 1 });
});

it("a mail is not begun in a worker that has too little time, and one that is too late ends", async () => {
  const [ada] = [await s.join("Ada")];
  await giveAddress(ada);
  await post(ada.id);
  workBy(async (event) => {
    workBy();
    const result = await deliver(event, 29 * SECOND);
    expect(recipients()).toEqual([]);
    return result;
  });
  await work(SECOND);
  expect(recipients()).toEqual(["ada@example.com"]);
  const late = newEventId();
  await s.store.commit([mailWrite(late, { kind: "test", player_id: ada.id }, s.now - DAY)], () => 10_000);
  await work();
  expect(await stateOf(late)).toEqual({ state: "failed", tries: 0, reason: "not sent in time" });
  expect(recipients()).toHaveLength(1);
  expect(sumByName(counted)).toMatchObject({ MailSent: 1, MailFailed: 1 });
});

it("a deployment without mail neither makes, reads nor queues any", async () => {
  Object.assign(s.services, { mail: null });
  const ben = await enter("Ben");
  expect((await scan(s)).filter(({ sk, pk }) => sk === "MAIL" || pk === "SECRET#OUTBOX")).toEqual([]);
  await post(ben);
  await work();
  expect([waiting, server().received]).toEqual([[], []]);
});

it("no line of the log has an address, a password or a text of the server", async () => {
  use({ url: { given: [`smtp://user:hunter2@127.0.0.1:${server().port}`] } });
  await post(await enter("Ada"));
  await work(MINUTE);
  // Somebody has mended the parameter while this process runs.
  Object.assign(s.services.mail ?? {}, { url: { given: [`smtp://127.0.0.1:${server().port}`] } });
  server().behave(() => ({ at: "rcpt", code: 550 }));
  await work(6 * MINUTE);
  const text = lines.join("\n");
  expect(text).toContain("EAUTH");
  expect(text).toContain("RCPT TO 550");
  expect(text).not.toMatch(/hunter2|ada@|secret-text/);
});

it("game masters see what became of each mail, send one again, and lift the suppression of an address", async () => {
  const gm = await s.admin();
  const ada = await register("Ada");
  const list = async (query = {}) => (await s.must("GET /admin/mail/{url_id}", { as: gm, query })).body;
  const again = (mail_id: string) => s.call("POST /admin/send_mail/{url_id}", { as: gm, body: { mail_id } });
  const lift = () => s.call("POST /admin/lift_suppression/{url_id}", { as: gm, body: { alias: "Ada" } });
  server().behave(() => ({ at: "rcpt", code: 550 }));
  await work(MINUTE);
  const [id] = await post(ada);
  await work();
  const { mails, suppressed } = await list();
  expect(mails).toMatchObject([
    { mail_id: id, kind: "test", alias: "Ada", state: "dropped", can_send_again: true },
    { kind: "confirm", alias: "Ada", state: "bounced", tries: 1, reason: "EENVELOPE RCPT TO 550" },
  ]);
  expect(suppressed).toEqual([{ alias: "Ada", at: mails[1].done_at, reason: "EENVELOPE RCPT TO 550" }]);
  expect(JSON.stringify(mails)).not.toContain("example.com");
  const first = await list({ limit: "1" });
  expect(await list({ limit: "1", cursor: first.next_cursor })).toEqual({
    mails: [mails[1]],
    next_cursor: null,
  });
  server().behave(() => "accept");
  // Of several game masters who lift it, one does.
  const lifted = await Promise.all([lift(), lift()]);
  expect(lifted.map(({ status }) => status).toSorted()).toEqual([204, 404]);
  expect((await list()).suppressed).toEqual([]);
  expect((await again(mails[1].mail_id)).status).toBe(204);
  // Of several game masters who send it again, one does.
  await expectRefused(again(mails[1].mail_id), "wrong_state");
  await work(MINUTE);
  expect(recipients()).toEqual(["ada@example.com"]);
  expect((await list()).mails).toMatchObject([
    { kind: "confirm", alias: "Ada", state: "sent", reason: null, can_send_again: false },
    { mail_id: id },
    { kind: "confirm", state: "bounced", can_send_again: false },
  ]);
  await expectRefused(again((await list()).mails[0].mail_id), "wrong_state");
  await expectRefused(again(newEventId()), "not_found");
  const { body } = await s.must("GET /admin/get_logs/{url_id}", { as: gm, query: { changes: "true" } });
  expect(body.logs.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(["send_mail", "lift_suppression"]),
  );
});

it("a mail whose message the queue has given up is shown as failed, and is sent again in its place", async () => {
  let gm = await s.admin();
  await giveAddress({ ...gm, alias: "Gus" });
  const [claimed = "", lost = ""] = await post(gm.id, gm.id);
  await readStream();
  const [message] = waiting.splice(0);
  // Its worker was killed; the other one was never begun.
  const mail = { ...(await readMail(s.store.db, claimed)), ...keys.mail(claimed), rev: 2, tries: 1 };
  await s.store.db.put({ ...mail, state: "sending", lease_until: s.now + WORKER_ENDED_MS });
  const shown = async () => (await s.must("GET /admin/mail/{url_id}", { as: gm })).body.mails;
  const again = (mail_id: string) => s.call("POST /admin/send_mail/{url_id}", { as: gm, body: { mail_id } });
  const [waits, failed] = [
    { state: "queued", can_send_again: false },
    { state: "failed", can_send_again: true },
  ];
  s.now += 30 * MINUTE;
  expect(await shown()).toMatchObject([waits, { state: "sending", can_send_again: false }]);
  await expectRefused(again(claimed), "wrong_state");
  s.now += 2 * MINUTE;
  expect(await shown()).toMatchObject([waits, { ...failed, reason: "its sending was interrupted" }]);
  expect((await again(claimed)).status).toBe(204);
  // The operator has the queue deliver the first message again.
  waiting.push({ body: message?.body ?? "", due: s.now });
  await work(MINUTE);
  expect(recipients()).toEqual(["gus@example.com"]);
  s.now += DAY;
  gm = await s.login(gm.alias, PASSWORD);
  expect((await shown()).slice(1)).toMatchObject([
    { mail_id: lost, ...failed, reason: "not sent in time" },
    { mail_id: claimed, state: "failed", can_send_again: false },
  ]);
});

it("a link to confirm an address is sent again as often as its owner may ask for it", async () => {
  const gm = await s.admin();
  await register("Ada");
  server().behave(() => ({ at: "data", code: 554 }));
  await work();
  const { body } = await s.must("GET /admin/mail/{url_id}", { as: gm });
  const request = { as: gm, body: { mail_id: body.mails[0].mail_id } };
  await expectRefused(s.call("POST /admin/send_mail/{url_id}", request), "wrong_state");
  s.now += MINUTE;
  await s.must("POST /admin/send_mail/{url_id}", request);
});

it("a game master sends a test to their own address, and a mail for a forgotten password names who has got it", async () => {
  const gm = await s.admin();
  const test = () => s.call("POST /admin/send_mail/{url_id}", { as: gm, body: {} });
  await expectRefused(test(), "wrong_state");
  await s.must("POST /edit_player/{url_id}", { as: gm, body: { email: "gus@example.com" } });
  expect((await test()).status).toBe(204);
  await work();
  expect(recipients()).toEqual(["gus@example.com", "gus@example.com"]);
  const player = await s.store.player(gm.id);
  await s.store.db.put({ ...player, ...keys.player(gm.id), email_confirmed: true });
  await s.call("POST /forgot_password", { body: { alias_or_email: gm.alias } });
  await s.call("POST /forgot_password", { body: { alias_or_email: "Nobody" } });
  server().behave(() => ({ at: "rcpt", code: 550 }));
  await work();
  const { body } = await s.must("GET /admin/mail/{url_id}", { as: gm });
  expect(body.mails.slice(0, 2)).toMatchObject([
    { kind: "recover", alias: null, state: "dropped", can_send_again: false },
    { kind: "recover", alias: gm.alias, state: "bounced", can_send_again: false },
  ]);
  expect(body.suppressed).toMatchObject([{ alias: gm.alias }]);
  Object.assign(s.services, { mail: null });
  await expectRefused(test(), "wrong_state");
});

it("game masters read the texts of mails that a local service stores, and nobody reads those of a deployment", async () => {
  const gm = await s.admin();
  const list = async () => (await s.must("GET /admin/mail/{url_id}", { as: gm })).body;
  const storesMail = async () => (await s.must("GET /game/{url_id}", { as: gm })).body.stores_mail;
  const folder = pathOf("outbox");
  const given = {
    ...{ MAIL_URL: `outbox:${folder}`, MAIL_FROM: "game@example.org", PUBLIC_URL: PAGES },
    MAIL_PER_MINUTE: "60000",
  };
  const settingsOf = (more: Record<string, string>) => {
    const environment = parseEnv({ ...given, ...more });
    return mailSettings(environment, keySources(environment));
  };
  Object.assign(s.services, { mail: settingsOf({}) });
  const [stored] = await post(await enter("Ada"));
  Object.assign(s.services, { mail: settingsOf({}) });
  await work();
  const [{ message, ...mail }] = (await list()).mails;
  expect(mail).toMatchObject({ mail_id: stored, state: "sent" });
  expect(message).toMatchObject({
    ...{ from: "Humans vs Zombies <game@example.org>", to: "ada@example.com" },
    ...{ subject: expect.stringContaining("Test of mail"), text: expect.stringContaining(PAGES) },
    html: expect.stringContaining(`<a href="${PAGES}"`),
  });
  expect(await storesMail()).toBe(true);
  // Somebody has removed the files.
  rmSync(folder, { recursive: true });
  expect((await list()).mails).toMatchObject([{ mail_id: stored, message: null }]);
  // The functions of every deployment have this setting, whatever else somebody gives them.
  await makeMailSender({ kind: "outbox", folder }).send({
    ...{
      id: stored ?? "",
      from: { name: "Game", address: "game@example.org" },
      to: "ada@example.com",
      date: 0,
    },
    content: { subject: "Secret", parts: [] },
  });
  Object.assign(s.services, { mail: settingsOf({ PARAMETERS: "/zombie-game/spring" }) });
  const inDeployment = await list();
  expect(inDeployment.mails).toMatchObject([{ mail_id: stored }]);
  expect(JSON.stringify(inDeployment)).not.toMatch(/message|Secret|example\.com/);
  expect(await storesMail()).toBe(false);
});

it("no kind of mail tells a side: who turns while it waits gets what zombies get, and a hidden original what humans get", async () => {
  const gm = await s.admin();
  const [hal, tom] = [await s.join("Hal"), await s.join("Tom")];
  const [zed, ova] = [await s.join("Zed"), await s.join("Ova")];
  await s.outbreak(gm, zed);
  const settings = { name: "Spring", hide_originals: true, reveal_originals_at: rfc3339(s.now + HOUR) };
  await s.must("POST /admin/settings/{url_id}", { as: gm, body: settings });
  await s.outbreak(gm, ova);
  const players = [hal, tom, zed, ova];
  for (const player of players) await giveAddress(player);
  for (const cause of Object.values(CAUSES)) await cause(players, gm);
  await readStream();
  expect((await s.hunt(await s.login("Zed", NEXT), tom)).status).toBe(200);
  await work(10 * MINUTE);
  const kinds = new Set<MailKind>();
  for await (const { item } of mailEntries(s.store.db, 100)) {
    const { kind, player_id, state, to, named } = parseMail(item);
    // Neither an address nor what was typed is kept.
    expect([to, named]).toEqual([undefined, undefined]);
    if (player_id === hal.id && state === "sent") kinds.add(kind);
  }
  expect(kinds).toEqual(new Set(mailKinds()));
  /** What the mails to a player say, but for the alias and tokens. */
  const mailsOf = ({ alias }: TestPlayer): string[] =>
    server()
      .received.filter(({ recipient }) => recipient.endsWith(`${alias.toLowerCase()}@example.com`))
      .map(({ from, subject, text, html }) => JSON.stringify([from?.text, subject, text, html]))
      .map((text) => text.replaceAll(alias, "X").replaceAll(/token=[\w-]+/g, "token="))
      .toSorted();
  const [toHal, toTom, toZed, toOva] = players.map(mailsOf);
  expect(toTom).toEqual(toZed);
  expect(toOva).toEqual(toHal);
  expect(toHal?.filter((mail) => !toTom?.includes(mail))).toEqual([expect.stringMatching("At the library")]);
  expect(toHal?.join()).not.toMatch(/zombie|human|original|Ova/i);
});

it("a mail consumes the capacity and invocations that the cost estimate assumes", async () => {
  const ada = await enter("Ada");
  // AWS's emulator counts no unit for an item that is missing in a batch, and the engine counts one.
  await s.must("POST /admin/settings/{url_id}", { as: await s.admin(), body: { name: "Autumn" } });
  await work();
  const before = lines.length;
  await post(ada);
  await work();
  expect(recipients()).toEqual(["ada@example.com"]);
  const workers = lines
    .slice(before)
    .map((line) => JSON.parse(line))
    .filter(({ message, records, messages }) => message === "worker" && (records ?? messages) > 0);
  const sum = (field: string): number => workers.reduce((all, line) => all + line[field], 0);
  // A transaction writes a small item for two units.
  const measured = { read: sum("read_units"), write: sum("write_units") + 2, invocations: workers.length };
  expect(measured).toEqual(ASSUMED.mail);
});
