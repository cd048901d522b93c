/** Announcements by mail: who gets one, once each, and how they stop. */
import { expect, it } from "vitest";
import { handler as unsubscribePage } from "../../functions/web/unsubscribe_page.ts";
import { HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import { keys } from "../../lib/store/keys.ts";
import { mailEntries, parseMail, suppressionWrite } from "../../lib/store/mail/mails.ts";
import { gatewayEvent, lambdaContext } from "../../scripts/local/inProcess.ts";
import { unsubscribing } from "../support/confirmation.ts";
import { missionAt } from "../support/constants.ts";
import { mailEnvironment, PAGES } from "../support/mailEnvironment.ts";
import { PASSWORD, type Result, type TestPlayer } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { fillSubscriptions } from "../support/subscribers.ts";
import { scan } from "../support/table.ts";

const { s, giveAddress, server, work, readStream, waiting } = mailEnvironment();
const { done, edit } = shortRequests(s);

/** Registers players with confirmed addresses. */
const join = async <N extends string[]>(...names: N): Promise<{ [K in keyof N]: TestPlayer }> => {
  const players = [];
  for (const name of names) {
    const player = await s.join(name);
    await giveAddress(player);
    players.push(player);
  }
  // Each name has given one player.
  return players as { [K in keyof N]: TestPlayer };
};

const SUPPLIES = { title: "Supply drop", content: "At the library.\n\n18:00", player_groups: "All" };

const trySend = (as: TestPlayer, more: Record<string, unknown>) =>
  s.call("POST /notifications/send/{url_id}", { as, body: { ...SUPPLIES, also_email: true, ...more } });

const send = (as: TestPlayer, more: Record<string, unknown> = {}) =>
  s.must("POST /notifications/send/{url_id}", { as, body: { ...SUPPLIES, also_email: true, ...more } });

/** Sends an announcement, whose mails arrive. */
const sendMails = async (...given: Parameters<typeof send>): Promise<Result> => {
  const result = await send(...given);
  await work(SECOND);
  await work(MINUTE);
  return result;
};

const recipients = (): string[] =>
  server()
    .received.splice(0)
    .map(({ recipient }) => recipient.replace("@example.com", ""))
    .toSorted();

/** The mails of announcements in the outbox, but for those that stand for all. */
const stored = async () => {
  const mails = [];
  for await (const { item } of mailEntries(s.store.db, 100)) mails.push(parseMail(item));
  return mails.filter(({ kind, player_id }) => kind === "announcement" && player_id !== null);
};

const tokenOf = (mail: { raw: string } | undefined): string =>
  /^List-Unsubscribe: ?<https:\/\/game\.example\.org\/unsubscribe_email\?token=([\w-]{64})>/m.exec(
    mail?.raw.replace(/\r\n\s/g, "") ?? "",
  )?.[1] ?? "";

it("an announcement also goes by mail, in the game's name, with the text of the inbox and a way to stop it", async () => {
  const gm = await s.admin();
  const [ada] = await join("Ada");
  const evil = "Supply drop <b>";
  const { body } = await sendMails(gm, { title: evil });
  const [mail] = server().received;
  expect(server().received).toHaveLength(1);
  expect(mail).toMatchObject({ recipient: "ada@example.com", subject: "Supply drop <b>" });
  expect(mail?.text).toContain("At the library.\n\n18:00");
  expect(mail?.text).toContain(`Open the game:\n${PAGES}/app/inbox`);
  expect(mail?.text).toContain("You get this because");
  expect(mail?.text).toContain(
    `Stop announcements by mail:\n${PAGES}/unsubscribe_email?token=${tokenOf(mail)}`,
  );
  expect(mail?.html).not.toMatch(/<b>|<img|url\(/);
  expect(mail?.raw).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
  const inbox = await s.must("GET /notifications/inbox/{url_id}", { as: ada });
  expect(inbox.body.notifications[0]).toMatchObject({ content: SUPPLIES.content });
  const { notification_id } = body.notification;
  const status = await s.must("GET /notifications/status/{url_id}", { as: gm, query: { notification_id } });
  expect(status.body).toMatchObject({ emails: 1, complete: expect.any(Boolean) });
  const { mails } = (await s.must("GET /admin/mail/{url_id}", { as: gm })).body;
  expect(mails).toMatchObject([{ kind: "announcement", alias: "Ada", state: "sent" }]);
});

it("reaches everybody if the queue delivers it to two workers, and the one that was faster ends", async () => {
  const gm = await s.admin();
  await join("Ada", "Ben");
  await send(gm);
  await readStream();
  waiting.push(...waiting);
  const isOutbox = (touched: readonly { pk: string }[]) => touched.every(({ pk }) => pk === keys.mail("").pk);
  let written = 0;
  s.beforeCall = (call, touched) => {
    if (call !== "transact" || !isOutbox(touched)) return;
    written += 1;
    if (written === 3) throw new Error("the process was killed here");
  };
  await work();
  s.beforeCall = undefined;
  // The slower one has deleted the message of both.
  const left = waiting.splice(0).filter(({ due }) => due < s.now + 5 * MINUTE);
  waiting.push(...left);
  await work(5 * MINUTE);
  expect(recipients()).toEqual(["ada", "ben"]);
  for await (const { item } of mailEntries(s.store.db, 100)) expect(parseMail(item).state).toBe("sent");
});

/** What becomes of a player before the announcement or while their mail waits, and why they get none. */
const CASES: [
  what: string,
  change: (player: TestPlayer, gm: TestPlayer) => Promise<unknown>,
  reason: RegExp,
][] = [
  ["has deleted the account", (as) => s.must("DELETE /delete_player/{url_id}", { as }), /does not exist/],
  ["has no confirmed address", (player) => giveAddress(player, false), /not confirmed/],
  ["has switched such mails off", (as) => edit(as, { mail_kinds: [] }), /does not want/],
  [
    "has an address that a server has refused",
    ({ id, alias }) =>
      s.store.commit(
        [
          suppressionWrite(`${alias.toLowerCase()}@example.com`, {
            ...{ at: rfc3339(s.now), reason: "550", player_id: id },
          }),
        ],
        () => 10_000,
      ),
    /suppressed/,
  ],
  [
    "is banned",
    ({ alias }, gm) => done(gm, "ban", { alias, reason: "Cheating." }),
    /banned|does not exist|not for/,
  ],
];

it.each(CASES)(
  "who %s gets none, whether before the announcement or while the mail waits",
  async (_, change, reason) => {
    const gm = await s.admin();
    const [ada, ben] = await join("Ada", "Ben", "Cid");
    await change(ada, gm);
    await send(gm);
    // The mails are written, and wait in the stream.
    await work(SECOND);
    expect(await stored()).not.toEqual([]);
    await change(ben, gm);
    await work(MINUTE);
    expect(recipients().filter((name) => name === "ada" || name === "ben")).toEqual([]);
    const dropped = (await stored()).filter(({ state }) => state === "dropped");
    expect(dropped.map((one) => one.reason)).toContainEqual(expect.stringMatching(reason));
  },
);

it("who changes sides while the mail waits gets none, and from then on those of the new side", async () => {
  const gm = await s.admin();
  const [ada, ben, cid] = await join("Ada", "Ben", "Cid");
  await s.outbreak(gm, ada);
  await send(gm, { audience: "humans" });
  await work(SECOND);
  expect((await stored()).map(({ player_id }) => player_id).toSorted()).toEqual([ben.id, cid.id].toSorted());
  await s.hunt(ada, ben);
  await work(MINUTE);
  expect(recipients()).toEqual(["cid"]);
  expect((await stored()).find(({ player_id }) => player_id === ben.id)).toMatchObject({
    state: "dropped",
    reason: "the announcement is not for this player any more",
  });
  await sendMails(gm, { audience: "zombies" });
  expect(recipients()).toEqual(["ada", "ben"]);
});

it("a hidden original zombie gets the mails to humans until the reveal, and those to zombies, as the inbox has them", async () => {
  const gm = await s.admin();
  const [ova, hal, zed] = await join("Ova", "Hal", "Zed");
  await s.outbreak(gm, zed);
  await done(gm, "settings", { hide_originals: true, reveal_originals_at: rfc3339(s.now + HOUR) });
  await s.outbreak(gm, ova);
  const playing = await s.admin("Gus", true);
  /** Sends an announcement. @returns who has it by mail, and who in the inbox */
  const reach = async (title: string, audience: string) => {
    await sendMails(gm, { title, audience });
    const inboxes = [];
    for (const as of [hal, ova, zed]) {
      const { notifications } = (await s.must("GET /notifications/inbox/{url_id}", { as })).body;
      if (notifications.some((one: { title: string }) => one.title === title))
        inboxes.push(as.alias.toLowerCase());
    }
    return { mails: recipients(), inboxes };
  };
  const countedBy = async (as: TestPlayer): Promise<number[]> => {
    const [humans, zombies] = [
      await send(as, { audience: "humans", dry_run: true }),
      await send(as, { audience: "zombies", dry_run: true }),
    ];
    return [humans.body.emails, zombies.body.emails];
  };
  const both = (...names: string[]) => ({ mails: names, inboxes: names });
  expect(await reach("To humans", "humans")).toEqual(both("hal", "ova"));
  expect(await reach("To zombies", "zombies")).toEqual(both("ova", "zed"));
  expect([await countedBy(gm), await countedBy(playing)]).toEqual([
    [2, 2],
    // As who plays sees them.
    [2, 1],
  ]);
  // Who gets one tells the side, so who plays does not see them in the list of mails, nor by their ids.
  const listed = async (as: TestPlayer) => (await s.must("GET /admin/mail/{url_id}", { as })).body.mails;
  const [one, ...others] = await listed(gm);
  expect([one.kind, others.length]).toEqual(["announcement", 3]);
  expect(await listed(playing)).toEqual([]);
  const again = (as: TestPlayer) =>
    s.call("POST /admin/send_mail/{url_id}", { as, body: { mail_id: one.mail_id } });
  expect([(await again(gm)).status, (await again(playing)).status]).toEqual([409, 404]);
  s.now += HOUR;
  expect(await listed(playing)).toHaveLength(4);
  expect(await reach("To humans again", "humans")).toEqual(both("hal"));
  expect(await reach("To zombies again", "zombies")).toEqual(both("ova", "zed"));
  expect(await countedBy(playing)).toEqual([1, 2]);
});

it("missions_below reaches those who attended fewer missions, and none who has attended one while the mail waits", async () => {
  const gm = await s.admin();
  await join("Ada", "Ben", "Cid");
  const at = (ms: number): string => rfc3339(s.now + ms);
  const hold = async (...aliases: string[]): Promise<string> => {
    const drop = missionAt(s.now, { starts_at: at(MINUTE), ends_at: at(2 * HOUR), required: true });
    const { mission_id } = await done(gm, "set_mission", drop);
    if (aliases.length > 0) await done(gm, "mission_attendance", { mission_id, aliases });
    return mission_id;
  };
  for (const filter of [{ missions_below: 2 }, { unsigned: true }])
    for (const dry_run of [true, false]) {
      const { status, text } = await trySend(gm, { ...filter, dry_run });
      expect([status, text]).toEqual([409, expect.stringMatching(/^This would reach nobody: /)]);
    }
  // By then, one may have begun.
  const { body: later } = await send(gm, { missions_below: 1, send_at: at(HOUR) });
  await s.must("POST /notifications/withdraw/{url_id}", {
    as: gm,
    body: { notification_id: later.notification.notification_id },
  });
  await hold("Ada", "Ben");
  const second = await hold("Ada");
  s.now += HOUR;
  const { body } = await send(gm, { missions_below: 2, dry_run: true });
  expect(body.emails).toBe(2);
  await send(gm, { missions_below: 2 });
  await work(SECOND);
  expect((await stored()).length).toBe(2);
  await done(gm, "mission_attendance", { mission_id: second, aliases: ["Ben"] });
  await work(MINUTE);
  expect(recipients()).toEqual(["cid"]);
  await sendMails(gm, { missions_below: 1 });
  expect(recipients()).toEqual(["cid"]);
});

it("one filter decides for the inbox, the count and the mails: a label, no signature, too few missions", async () => {
  const gm = await s.admin();
  const [ada, ben] = await join("Ada", "Ben", "Cid");
  await done(gm, "label", { aliases: ["Ada", "Ben"], add: ["team"] });
  await done(gm, "settings", { waiver: "I play at my own risk.", missions_required: 1 });
  const { version } = (await s.must("GET /waiver/{url_id}", { as: ada })).body;
  await s.must("POST /player/sign/{url_id}", { as: ada, body: { version, full_name: "Ada Bell" } });
  const inboxOf = async (as: TestPlayer) =>
    (await s.must("GET /notifications/inbox/{url_id}", { as })).body.notifications.map(
      ({ title }: { title: string }) => title,
    );
  for (const [title, filter, names] of [
    ["Team", { audience: "label:team" }, ["ada", "ben"]],
    ["Waiver", { unsigned: true }, ["ben", "cid"]],
    ["Both", { audience: "label:team", unsigned: true }, ["ben"]],
  ] as const) {
    const { body } = await send(gm, { ...filter, title, dry_run: true });
    expect(body).toMatchObject({ emails: names.length, sample: expect.stringContaining("At the library.") });
    await sendMails(gm, { ...filter, title });
    expect(recipients(), title).toEqual(names);
  }
  expect(await inboxOf(ada)).toEqual(["Team"]);
  expect(await inboxOf(ben)).toEqual(["Both", "Waiver", "Team"]);
});

it("a test goes to the game master alone, and a dry run to nobody; neither stands in an inbox", async () => {
  const gm = await s.admin();
  const [ada] = await join("Ada");
  expect((await trySend(gm, { test_email: true })).status).toBe(409);
  await giveAddress({ ...gm, alias: "gus" });
  await send(gm, { test_email: true, audience: "zombies" });
  await sendMails(gm, { dry_run: true });
  expect(recipients()).toEqual(["gus"]);
  for (const as of [gm, ada])
    expect((await s.must("GET /notifications/inbox/{url_id}", { as })).body.notifications).toEqual([]);
});

it("a scheduled announcement is mailed at its time, once, and not if it was withdrawn or is a day late", async () => {
  const gm = await s.admin();
  await join("Ada");
  const at = rfc3339(s.now + HOUR);
  await send(gm, { send_at: at });
  const { body } = await send(gm, { send_at: at });
  const { notification_id } = body.notification;
  await s.must("POST /notifications/withdraw/{url_id}", { as: gm, body: { notification_id } });
  await work(30 * MINUTE);
  expect(recipients()).toEqual([]);
  s.now += HOUR;
  for (let sweeps = 0; sweeps < 3; sweeps += 1) await s.sweep();
  await work(SECOND);
  await work(MINUTE);
  expect(recipients()).toEqual(["ada"]);
  await send(gm, { send_at: rfc3339(s.now + HOUR) });
  s.now += 26 * HOUR;
  await s.sweep();
  await work(SECOND);
  await work(MINUTE);
  expect(recipients()).toEqual([]);
});

it("opening the address of List-Unsubscribe leads to the page that asks, with the token in the fragment, and changes nothing", async () => {
  const [ada] = await join("Ada");
  const before = await scan(s);
  const token = unsubscribing(ada.id);
  // Scanners of mail open every link, in each way.
  for (const method of ["GET", "HEAD"]) {
    const route = `${method} /unsubscribe_email`;
    const request = {
      route,
      path: "/unsubscribe_email",
      headers: {},
      query: { token },
      address: "192.0.2.1",
    };
    const { statusCode, headers, body } = await unsubscribePage.on(s.services)(
      gatewayEvent(request),
      lambdaContext(),
    );
    expect([statusCode, headers?.location, body ?? ""]).toEqual([303, `/app/unsubscribe#token=${token}`, ""]);
  }
  expect(await scan(s)).toEqual(before);
  expect((await s.see(ada)).mail_kinds).toEqual(["announcement"]);
});

const FORM = "application/x-www-form-urlencoded";

it("one click on List-Unsubscribe ends announcements by mail and no other mails; the player can switch them on again", async () => {
  const gm = await s.admin();
  const [ada] = await join("Ada", "Ben");
  await sendMails(gm);
  const mail = server().received.find(({ recipient }) => recipient.startsWith("ada"));
  const token = tokenOf(mail);
  recipients();
  const post = (query: { token: string }, body: string | Buffer, type = FORM) =>
    s.call("POST /unsubscribe_email", { query, raw: { body, type } });
  expect((await s.see(ada)).mail_kinds).toEqual(["announcement"]);
  const other = token.replace(/^.{8}/, "AAAAAAAA");
  for (const wrong of [other, "x", `${token.slice(0, -1)}!`])
    expect((await post({ token: wrong }, "List-Unsubscribe=One-Click")).status).toBe(404);
  expect((await post({ token }, "List-Unsubscribe=no")).status).toBe(400);
  expect((await post({ token }, "List-Unsubscribe=One-Click", "text/plain")).status).toBe(415);
  expect((await s.see(ada)).mail_kinds).toEqual(["announcement"]);
  const parts =
    '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n';
  s.now += 400 * 24 * HOUR;
  expect((await post({ token }, "List-Unsubscribe=One-Click")).status).toBe(204);
  // API Gateway encodes some bodies.
  const encoded = Buffer.from(parts);
  expect((await post({ token }, encoded, 'multipart/form-data; boundary="b"')).status).toBe(204);
  const back = await s.login("Ada", PASSWORD);
  expect((await s.see(back)).mail_kinds).toEqual([]);
  const master = await s.login(gm.alias, PASSWORD);
  await sendMails(master);
  expect(recipients()).toEqual(["ben"]);
  await edit(back, { mail_kinds: null });
  await sendMails(master);
  expect(recipients()).toEqual(["ada", "ben"]);
});

it("one click ends them also if the account has become that of a player who has come back", async () => {
  const gm = await s.admin();
  const [ada] = await join("Ada");
  await s.outbreak(gm, ada);
  await s.must("DELETE /delete_player/{url_id}", { as: ada });
  const registration = { alias: "Ada", password: "a better horse battery", login: true };
  const { body } = await s.must("POST /new", { body: registration });
  await done(gm, "admit", { alias: "Ada", decision: "returned" });
  const query = { token: unsubscribing(body.player_id) };
  const raw = { body: "List-Unsubscribe=One-Click", type: FORM };
  expect((await s.call("POST /unsubscribe_email", { query, raw })).status).toBe(204);
  const back = { ...ada, id: body.player_id, token: body.token };
  expect(await s.see(back)).toMatchObject({ player_id: ada.id, mail_kinds: [] });
});

it("an announcement that no push service accepts is said to go out by mail, and does", async () => {
  const gm = await s.admin();
  const [ann] = await join("Ann");
  await fillSubscriptions(s.place(), "https://push.example", [{ playerId: ann.id, path: "/ann" }]);
  const { status, text } = await trySend(gm, {});
  expect([status, text]).toEqual([
    500,
    "The notification goes out by mail, but is not pushed: no push service accepted it.",
  ]);
  await work(SECOND);
  await work(MINUTE);
  expect(recipients()).toEqual(["ann"]);
});
