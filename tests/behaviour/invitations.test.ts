/** Invitations by mail: who gets one, how often, what the link is worth, and what a process that ends leaves behind. */
import { beforeEach, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "../../lib/domain/time.ts";
import { logLines } from "../support/logLines.ts";
import { mailEnvironment, PAGES } from "../support/mailEnvironment.ts";
import { PASSWORD, type Result, type TestPlayer } from "../support/service.ts";
import { expectRefused, shortRequests } from "../support/shortRequests.ts";
import { streamRecords } from "../support/streamRecords.ts";
import { scan } from "../support/table.ts";

const { s, server, work, use } = mailEnvironment();
const { done, logsOf, read } = shortRequests(s);
const lines = logLines();

const EVERYONE = { everyone_not_accepted: true };
const NEXT = "a better horse battery";

let gm: TestPlayer;
beforeEach(async () => {
  gm = await s.admin();
});

const addressOf = (alias: string): string => `${alias.toLowerCase().replaceAll(/\W+/g, ".")}@example.com`;
/** Imports players, with addresses of their aliases. */
const bring = (...aliases: string[]) =>
  done(gm, "import_players", { rows: aliases.map((alias) => ({ alias, email: addressOf(alias) })) });
const invite = (body: object = EVERYONE, key?: string): Promise<Result> =>
  s.call("POST /admin/send_invitations/{url_id}", { as: gm, body, key });
/** Imports players, who get their invitations. */
const bringInvited = async (...aliases: string[]): Promise<void> => {
  await bring(...aliases);
  await invite();
  await work(MINUTE);
};
const preview = async (body: object = EVERYONE): Promise<Result["body"]> =>
  (await s.must("POST /admin/send_invitations/{url_id}", { as: gm, body: { ...body, dry_run: true } })).body;
const leftOut = async (body?: object): Promise<Record<string, string[]>> => {
  const { left_out } = await preview(body);
  return Object.fromEntries(
    left_out.map(({ reason, aliases }: { reason: string; aliases: string[] }) => [reason, aliases]),
  );
};

const mailsTo = (alias: string) =>
  server().received.filter(
    ({ recipient, subject }) => recipient === addressOf(alias) && /invitation/.test(subject ?? ""),
  );
const recipients = (): string[] => server().received.map(({ recipient }) => recipient);
/** What the latest link to a player has in its fragment. */
const linkTo = (alias: string) => {
  const [, fragment = ""] = /\/app\/recover#(\S+)/.exec(mailsTo(alias).at(-1)?.text ?? "") ?? [];
  const { alias: named = "", token = "" } = Object.fromEntries(new URLSearchParams(fragment));
  return { alias: named, recovery_code: token };
};
const accept = (link: { alias: string; recovery_code: string }): Promise<Result> =>
  s.call("POST /change_password", { body: { ...link, new_password: NEXT } });
const mails = async (): Promise<
  { kind: string; alias: string; state: string; reason: string; mail_id: string }[]
> => (await read(gm, "/admin/mail", { limit: 1_000 })).mails;
const playerCalled = async (alias: string) => {
  const player = await s.store.playerByAlias(alias);
  if (player === null) throw new Error(`no ${alias}`);
  return player;
};

it("an import sends nothing; an invitation leads to the page where the player sets the first password, and confirms the address", async () => {
  await bring("Ada", "Ben");
  await work(MINUTE);
  expect(server().received).toEqual([]);
  const { sample, ...others } = await preview();
  expect(others).toMatchObject({ count: 2, skipped: 0, left_out: [] });
  expect(sample.text).toContain(`${PAGES}/app/recover#alias=Ada&token=sample\n`);
  // A game master gets a test of it, whose link does not work either.
  await s.must("POST /edit_player/{url_id}", { as: gm, body: { email: addressOf("Gus") } });
  await done(gm, "send_mail", { sample: "invite" });
  await work(MINUTE);
  expect(mailsTo("Gus")).toMatchObject([
    {
      subject: sample.subject,
      text: sample.text.replaceAll("Ada", gm.alias).replace("alias=Game Master", "alias=Game+Master"),
    },
  ]);
  server().received.length = 0;
  expect((await invite()).body).toMatchObject({ count: 2, skipped: 0, complete: true });
  await work(MINUTE);
  expect(recipients().toSorted()).toEqual([addressOf("Ada"), addressOf("Ben")]);
  const [mail] = mailsTo("Ada");
  const link = linkTo("Ada");
  expect(mail?.subject).toBe("Your invitation to Humans vs Zombies");
  expect(mail?.text).toContain(`${PAGES}/app/recover#alias=Ada&token=`);
  expect(mail?.html).not.toMatch(/<img|<script|src=|url\(/);
  const { body, status } = await accept(link);
  expect([status, body.alias]).toEqual([200, "Ada"]);
  const ada = { ...gm, id: body.player_id, token: body.token };
  expect(await s.see(ada)).toMatchObject({ email_confirmed: true, email: addressOf("Ada") });
  // A confirmed address logs in, and belongs to this account.
  expect((await s.call("POST /login", { body: { alias: addressOf("Ada"), password: NEXT } })).status).toBe(
    200,
  );
  expect(await leftOut({ aliases: ["Ada", "Ben"] })).toEqual({ accepted: ["Ada"] });
  expect((await logsOf(gm, "send_invitations"))[0]).toMatchObject({
    actor: gm.alias,
    details: { dry_run: true },
  });
});

it("a link is valid for seven days, and until a newer one was sent", async () => {
  await bringInvited("Ada", "Ben");
  const [ada, ben] = [linkTo("Ada"), linkTo("Ben")];
  await invite({ aliases: ["Ada"] });
  await work(MINUTE);
  const newer = linkTo("Ada");
  expect((await accept(ada)).status).toBe(401);
  s.now += 7 * DAY - 5 * MINUTE;
  expect((await accept(newer)).status).toBe(200);
  s.now += 5 * MINUTE;
  expect((await accept(ben)).status).toBe(401);
});

it("a corrected address voids the link that went to the wrong one, and an address of another account is not confirmed", async () => {
  await bringInvited("Ada", "Ben");
  await done(gm, "edit_player", { alias: "Ada", email: "right@example.com" });
  expect((await accept(linkTo("Ada"))).status).toBe(401);
  // Another account confirms Ben's address between the invitation and its acceptance.
  const body = { alias: "Eve", password: PASSWORD, email: addressOf("Ben") };
  await s.must("POST /new", { body });
  await work(MINUTE);
  const mail = server().received.find(
    ({ recipient, text }) => recipient === addressOf("Ben") && /#token=/.test(text ?? ""),
  );
  const [, token = ""] = /#token=(\S+)/.exec(mail?.text ?? "") ?? [];
  expect((await s.call("POST /confirm_email", { body: { token } })).status).toBe(204);
  expect((await accept(linkTo("Ben"))).status).toBe(200);
  expect((await playerCalled("Ben")).email_confirmed).not.toBe(true);
});

it("a link works after a game master has corrected the alias, with which nobody logs in any more", async () => {
  await bringInvited("Adda");
  await done(gm, "edit_player", { alias: "Adda", alias_to: "Ada" });
  const link = linkTo("Adda");
  expect(await accept(link)).toMatchObject({ status: 200, body: { alias: "Ada" } });
  for (const [alias, status] of [
    ["Adda", 401],
    ["Ada", 200],
  ] as const)
    expect((await s.call("POST /login", { body: { alias, password: NEXT } })).status).toBe(status);
  expect((await accept(link)).status).toBe(401);
});

it("to an address that was banned since is accepted and confirms nothing: game masters decide", async () => {
  await bringInvited("Ada");
  const email = addressOf("Ada");
  await done(gm, "ban", { email });
  expect((await accept(linkTo("Ada"))).status).toBe(200);
  const { email_confirmed, review } = await playerCalled("Ada");
  expect(email_confirmed).not.toBe(true);
  expect(review).toMatchObject([{ kind: "banned", by: "address", confirmed: true }]);
});

it("names who gets none and why, and so judges again when it sends", async () => {
  await bring("Accepted", "Banned", "Bounced", "Taken", "Waits", "Gone", "Later", "Left");
  await done(gm, "import_players", { rows: [{ alias: "Nowhere" }] });
  await invite({ aliases: ["Accepted", "Bounced"] });
  server().behave((to) => (to.startsWith("bounced") ? { at: "rcpt", code: 550 } : "accept"));
  await work(MINUTE);
  await accept(linkTo("Accepted"));
  const { ban_id } = await done(gm, "ban", { alias: "Banned" });
  const owner = await s.join("Owner");
  await s.store.db.put({
    ...{
      pk: `SECRET#CONFIRMED#${(await import("../../lib/store/accounts/emails.ts")).emailHash(addressOf("Taken"))}`,
    },
    ...{ sk: "EMAIL", player_id: owner.id },
  });
  await invite({ aliases: ["Waits"] });
  await done(gm, "remove_player", { alias: "Gone" });
  const aliases = ["Accepted", "Banned", "Bounced", "Taken", "Waits", "Gone", "Nowhere", "Later"];
  expect(await leftOut({ aliases })).toEqual({
    ...{ deleted: ["Gone"], accepted: ["Accepted"], no_address: ["Nowhere"], suppressed: ["Bounced"] },
    ...{ email_taken: ["Taken"], waiting: ["Waits"], banned: ["Banned"] },
  });
  // Nobody has asked for those who have accepted, or are gone.
  expect(Object.keys(await leftOut())).not.toContain("accepted");
  const { sample, count, skipped } = await preview({ aliases });
  expect([sample.alias, count, skipped]).toEqual(["Later", 1, 7]);
  // An invitation outlasts a ban.
  await done(gm, "unban", { ban_id });
  expect(await leftOut({ aliases: ["Banned"] })).toEqual({});
  // Between the queue and the sending.
  await invite({ aliases: ["Later", "Left"] });
  await done(gm, "ban", { alias: "Later" });
  await done(gm, "remove_player", { alias: "Left" });
  await work(MINUTE);
  expect([...mailsTo("Later"), ...mailsTo("Left")]).toEqual([]);
  const states = (await mails()).map(({ alias, state, reason }) => `${alias} ${state} ${reason}`);
  expect(states).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^Later dropped .*banned/),
      expect.stringMatching(/^null dropped .*does not exist/),
      expect.stringMatching(/^Bounced bounced EENVELOPE/),
    ]),
  );
  expect((await read(gm, "/admin/mail")).suppressed).toMatchObject([{ alias: "Bounced" }]);
});

it("a repeated command sends nobody a second one, with and without a key, at once and at the same time", async () => {
  await bring("Ada", "Ben", "Cid");
  const first = await invite(EVERYONE, "once");
  expect((await invite(EVERYONE, "once")).body).toEqual(first.body);
  expect((await invite()).body).toMatchObject({ count: 0, skipped: 3 });
  expect(await leftOut()).toEqual({ waiting: ["Ada", "Ben", "Cid"] });
  await work();
  expect((await invite()).body.count).toBe(0);
  expect(await leftOut()).toEqual({ too_many: ["Ada", "Ben", "Cid"] });
  expect((await invite(EVERYONE, "once")).body).toEqual(first.body);
  s.now += MINUTE;
  // Of several that meet, each player is invited by one.
  const met = await Promise.all(Array.from({ length: 6 }, () => invite()));
  expect(met.reduce((sum, { body }) => sum + (body.count ?? 0), 0)).toBe(3);
  await work(MINUTE);
  expect(recipients()).toHaveLength(6);
});

it("one whose message is lost keeps nobody waiting for longer than its link would have been valid", async () => {
  await bring("Ada");
  await invite();
  s.now += 7 * DAY - MINUTE;
  gm = await s.login(gm.alias, PASSWORD);
  expect(await leftOut()).toEqual({ waiting: ["Ada"] });
  s.now += 2 * MINUTE;
  expect((await invite()).body).toMatchObject({ count: 1 });
});

it("one a minute and five an hour, also of those that a game master sends again", async () => {
  await bring("Ada");
  for (let n = 0; n < 8; n += 1) {
    await invite();
    await work(MINUTE);
  }
  expect(mailsTo("Ada")).toHaveLength(5);
  s.now += HOUR;
  server().behave(() => ({ at: "data", code: 554 }));
  await invite();
  await work();
  const [failed] = await mails();
  const again = () =>
    s.call("POST /admin/send_mail/{url_id}", { as: gm, body: { mail_id: failed?.mail_id } });
  await expectRefused(again(), "wrong_state");
  server().behave(() => "accept");
  s.now += MINUTE;
  expect((await again()).status).toBe(204);
  await work(MINUTE);
  expect((await accept(linkTo("Ada"))).status).toBe(200);
});

/** A transaction writes thirty. */
const MANY = 35;
const CROWD = Array.from({ length: MANY }, (_, n) => `Player ${n + 1}`);

/** Lets the workers work until so many mails were sent, and then for as long as the next retry of a message takes. */
const workUntilSent = async (n: number): Promise<void> => {
  for (let minutes = 0; minutes < 20 && recipients().length < n; minutes += 1) await work(MINUTE);
  await work(7 * MINUTE);
  await work(MINUTE);
};

it.each([1, 2])(
  "a process that is killed before batch %i leaves nobody out, and nobody gets two",
  async (batch) => {
    await bring(...CROWD);
    let [commits, isDead] = [0, false];
    s.beforeCall = (call) => {
      // The first transaction creates the job.
      if (call === "transact") commits += 1;
      isDead ||= commits > batch;
      if (isDead) throw new Error("killed");
    };
    expect((await invite(EVERYONE, "killed")).status).toBeGreaterThanOrEqual(500);
    s.beforeCall = undefined;
    expect((await invite(EVERYONE, "killed")).body.code).toBe("in_progress");
    if (batch === 2) {
      // Somebody sends the command again before the job is taken over.
      expect((await invite()).body).toMatchObject({ count: MANY - 30, skipped: 30 });
      // They have got theirs, and could be invited again, when that happens.
      await work(20 * SECOND);
      s.now += 2 * MINUTE;
    }
    // The job goes on when its lease has expired, and then its mails are sent.
    await workUntilSent(MANY);
    expect(recipients().toSorted()).toEqual(CROWD.map(addressOf).toSorted());
    const entries = await logsOf(gm, "send_invitations");
    expect(entries.filter(({ details }: Result["body"]) => details.complete === true).length).toBeGreaterThan(
      0,
    );
  },
);

it("a request whose time runs out is 202, and the queue goes on", async () => {
  await bring(...CROWD);
  let commits = 0;
  s.beforeCall = (call) => {
    if (call === "transact") commits += 1;
  };
  Object.assign(s, { timeLeft: () => (commits >= 2 ? 2_000 : 29_000) });
  const { status, body } = await invite(EVERYONE, "slow");
  expect([status, body.complete, body.count]).toEqual([202, false, 30]);
  Object.assign(s, { timeLeft: undefined });
  await workUntilSent(MANY);
  expect(recipients().toSorted()).toEqual(CROWD.map(addressOf).toSorted());
  expect((await invite(EVERYONE, "slow")).body).toMatchObject({ count: MANY, complete: true });
});

it("neither the table, its stream nor a line of the log has a link's token, or an address in an outbox", async () => {
  await bringInvited("Ada");
  const { recovery_code } = linkTo("Ada");
  const letters = recovery_code.replaceAll("-", "");
  expect(letters).toHaveLength(28);
  const stored = await scan(s);
  for (const text of [JSON.stringify(stored), JSON.stringify(await streamRecords(s)), lines.join("\n")])
    for (const secret of [recovery_code, letters]) expect(text).not.toContain(secret);
  const outbox = stored.filter(({ pk }) => pk === "SECRET#OUTBOX");
  expect(JSON.stringify(outbox)).not.toContain("example.com");
  expect(lines.join("\n")).not.toContain("ada@");
});

it("without mail nothing is sent", async () => {
  await bring("Ada");
  Object.assign(s.services, { mail: null });
  await expectRefused(invite(), "wrong_state");
  await expectRefused(invite({ ...EVERYONE, dry_run: true }), "wrong_state");
  await expectRefused(invite({}), "invalid_request");
  use({});
  await expectRefused(invite({ ...EVERYONE, aliases: ["Ada"] }), "invalid_request");
  s.now += SECOND;
  expect((await invite({ aliases: ["Ada", "ada"] })).body).toMatchObject({ count: 1, skipped: 0 });
});
