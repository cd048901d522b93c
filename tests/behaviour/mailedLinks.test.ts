/** Links in mails: who gets one, what opens it, and what its token is worth. */
import { expect, it } from "vitest";
import { HOUR, MINUTE } from "../../lib/domain/time.ts";
import { mailEnvironment, PAGES } from "../support/mailEnvironment.ts";
import { PASSWORD, type Result, type TestPlayer } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { scan } from "../support/table.ts";

const { s, server, work } = mailEnvironment();
const { done, edit, enter: newcomer, leave } = shortRequests(s);

/** Registers somebody with an address, and logs in. */
const enter = (alias: string, email = `${alias.toLowerCase()}@example.com`) => newcomer(alias, { email });
const confirm = (token: string): Promise<Result> => s.call("POST /confirm_email", { body: { token } });

/** The mails to an address. */
const mailsTo = (address: string) => server().received.filter(({ recipient }) => recipient === address);
/** The token of the latest link to an address. */
const tokenAt = (address: string): string => {
  const [, token = ""] = /#token=([\w-]+)/.exec(mailsTo(address).at(-1)?.text ?? "") ?? [];
  return token;
};
const link = async (address: string): Promise<string> => {
  await work(MINUTE);
  return tokenAt(address);
};

it("a newcomer confirms the address by a link, once also of fifty requests at a time, which works until a day has passed", async () => {
  const ada = await enter("Ada");
  expect(await s.see(ada)).toMatchObject({ email_confirmed: false, pending_email: null });
  const token = await link("ada@example.com");
  const [mail] = mailsTo("ada@example.com");
  expect(mail?.text).toContain(`${PAGES}/app/confirm#token=${token}`);
  expect(mail?.headers.has("list")).toBe(false);
  // Neither an item nor the stream has the token, or what it could be made of but the mail's id.
  expect(JSON.stringify(await scan(s))).not.toContain(token);
  const results = await Promise.all(Array.from({ length: 50 }, () => confirm(token)));
  expect(results.map(({ status }) => status).toSorted()).toEqual([204, ...Array(49).fill(404)]);
  expect((await s.see(ada)).email_confirmed).toBe(true);
  const again = await confirm(token);
  const forged = await confirm(`${token.slice(0, -2)}AA`);
  expect([again.status, forged.status, again.body.code]).toEqual([404, 404, "code_not_valid"]);
  expect(forged.body).toEqual({ ...again.body, request_id: forged.body.request_id });

  await enter("Ben");
  const late = await link("ben@example.com");
  s.now += 24 * HOUR;
  expect((await confirm(late)).status).toBe(404);
});

it("one link a minute and five an hour: further requests send nothing, and void nothing", async () => {
  const ada = await enter("Ada");
  const email = "ada@example.com";
  const first = await link(email);
  const again = () => edit(ada, { email });
  await again();
  const second = await link(email);
  expect(second).not.toBe(first);
  for (let n = 0; n < 10; n += 1) {
    expect((await again()).status).toBe(200);
    await work(10_000);
  }
  for (let n = 0; n < 10; n += 1) {
    await again();
    await work(MINUTE);
  }
  expect(mailsTo(email)).toHaveLength(5);
  expect((await confirm(first)).status).toBe(404);
  expect((await confirm(tokenAt(email))).status).toBe(204);
  await again();
  await work(2 * HOUR);
  expect(mailsTo(email)).toHaveLength(5);
});

it("a confirmed address is changed with the password, and stays until the new one is confirmed", async () => {
  const ada = await enter("Ada");
  await confirm(await link("ada@example.com"));
  const wanted = { email: "new@example.com" };
  for (const [current_password, status, code] of [
    [undefined, 400, "invalid_request"],
    ["wrong", 401, "bad_credentials"],
  ] as const) {
    const { status: got, body } = await edit(ada, { ...wanted, current_password });
    expect([got, body.code]).toEqual([status, code]);
  }
  expect((await edit(ada, { email: null })).status).toBe(400);
  const { body } = await edit(ada, { ...wanted, current_password: PASSWORD });
  expect(body).toMatchObject({
    ...{ email: "ada@example.com", email_confirmed: true, pending_email: "new@example.com" },
  });
  const token = await link("new@example.com");
  expect(mailsTo("ada@example.com").at(-1)?.subject).toMatch(/is about to change/);
  expect((await confirm(token)).status).toBe(204);
  expect(await s.see(ada)).toMatchObject({ ...wanted, email_confirmed: true, pending_email: null });
  // The old address is free for somebody else.
  const ben = await enter("Ben", "ada@example.com");
  expect((await confirm(await link("ada@example.com"))).status).toBe(204);
  expect((await s.see(ben)).email_confirmed).toBe(true);
});

it("a link confirms nothing after the address has changed, or the account was deleted", async () => {
  const ada = await enter("Ada");
  const first = await link("ada@example.com");
  await edit(ada, { email: "other@example.com" });
  expect((await confirm(first)).status).toBe(404);
  const second = await link("other@example.com");
  await leave(ada);
  expect((await confirm(second)).status).toBe(404);
});

it("a game master's change of an address ends its confirmation, and an import sends nothing", async () => {
  const gm = await s.admin();
  const ada = await enter("Ada");
  await confirm(await link("ada@example.com"));
  await done(gm, "import_players", { rows: [{ alias: "Ida", email: "ida@example.com" }] });
  await done(gm, "edit_player", { alias: "Ada", email: "fixed@example.com" });
  expect(await s.see(ada)).toMatchObject({ email: "fixed@example.com", email_confirmed: false });
  await work(MINUTE);
  expect(server().received).toHaveLength(1);
});

it("no header of a request changes a link", async () => {
  const headers = {
    host: "evil.example",
    "x-forwarded-host": "evil.example",
    origin: "https://evil.example",
  };
  await s.must("POST /new", {
    body: { alias: "Ada", password: PASSWORD, email: "ada@example.com" },
    headers,
  });
  await work(MINUTE);
  expect(server().received[0]?.raw).not.toContain("evil.example");
});

/** Registers somebody and confirms the address. */
const enterConfirmed = async (alias: string): Promise<TestPlayer> => {
  const me = await enter(alias);
  const { status } = await confirm(await link(`${alias.toLowerCase()}@example.com`));
  expect(status).toBe(204);
  return me;
};
const forget = (alias_or_email: string, from?: string): Promise<Result> =>
  s.call("POST /forgot_password", { body: { alias_or_email }, ...(from === undefined ? {} : { from }) });
/** The alias and the token in the latest link to an address. */
const recoveryAt = async (address: string) => {
  // Longer than the pause between two links, which begins when the worker has sent one.
  await work(2 * MINUTE);
  const [, fragment = ""] = /\/app\/recover#(\S+)/.exec(mailsTo(address).at(-1)?.text ?? "") ?? [];
  const { alias, token } = Object.fromEntries(new URLSearchParams(fragment));
  return { alias, recovery_code: token };
};
const NEXT = "a better horse battery";
const setPassword = (body: object): Promise<Result> =>
  s.call("POST /change_password", { body: { ...body, new_password: NEXT } });

it("a forgotten password is set by a link, once, which ends all sessions and tells the owner", async () => {
  const ada = await enterConfirmed("Ada");
  for (const named of ["Ada", "ADA@example.com"]) {
    expect((await forget(named)).status).toBe(202);
    const code = await recoveryAt("ada@example.com");
    expect(code.alias).toBe("Ada");
    // What is stored is a hash.
    expect(JSON.stringify(await scan(s))).not.toContain(code.recovery_code?.replaceAll("-", ""));
    const results = await Promise.all(Array.from({ length: 5 }, () => setPassword(code)));
    expect(results.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401]);
    await work(MINUTE);
    expect(mailsTo("ada@example.com").at(-1)?.subject).toMatch(/^Your password .* was changed$/);
  }
  expect((await s.call("GET /player/{url_id}", { as: ada })).status).toBe(403);
});

it("the link works for an hour, until another one is sent, and neither one a minute nor five an hour are exceeded", async () => {
  await enterConfirmed("Ada");
  const before = mailsTo("ada@example.com").length;
  await forget("Ada");
  const first = await recoveryAt("ada@example.com");
  await forget("Ada");
  const second = await recoveryAt("ada@example.com");
  expect((await setPassword(first)).status).toBe(401);
  for (let n = 0; n < 20; n += 1) {
    await forget("Ada");
    await work(40_000);
  }
  expect(mailsTo("ada@example.com")).toHaveLength(before + 5);
  const last = await recoveryAt("ada@example.com");
  expect((await setPassword(second)).status).toBe(401);
  s.now += HOUR;
  expect((await setPassword(last)).status).toBe(401);
});

it("the link sets no password after the address to which it was sent is not the account's any more", async () => {
  const gm = await s.admin();
  for (const alias of ["Ada", "Ben"]) {
    const player = await enterConfirmed(alias);
    await forget(alias);
    const code = await recoveryAt(`${alias.toLowerCase()}@example.com`);
    const email = `new-${alias}@example.com`;
    if (alias === "Ada") {
      await edit(player, { email, current_password: PASSWORD });
      expect((await confirm(await link(email))).status).toBe(204);
    } else await done(gm, "edit_player", { alias, email });
    expect((await setPassword(code)).body.code).toBe("bad_credentials");
  }
});

it("nobody gets a link who is unknown, banned or deleted, or has not confirmed the address", async () => {
  const gm = await s.admin();
  await enterConfirmed("Mallory");
  await done(gm, "ban", { alias: "Mallory" });
  const gone = await enterConfirmed("Gone");
  await leave(gone);
  await enter("Una");
  await enterConfirmed("Eve");
  await work(MINUTE);
  const before = server().received.length;
  // While the worker writes Eve's code, she is banned.
  await forget("Eve");
  s.beforeCall = async (call, touched) => {
    if (call !== "transact" || !touched.some(({ sk }) => sk === "RECOVERY")) return;
    s.beforeCall = undefined;
    await done(gm, "ban", { alias: "Eve" });
  };
  const responses: string[] = [];
  for (const named of ["Mallory", "Gone", "Una", "una@example.com", "Nobody", "nobody@example.com", "@"]) {
    const { status, text } = await forget(named);
    responses.push(`${status} ${text}`);
  }
  await work(2 * HOUR);
  expect(new Set(responses)).toEqual(new Set(['202 {"accepted":true}']));
  expect(server().received).toHaveLength(before);
});

it("a forgotten password reads and writes the same for everybody, and requests of one address are limited", async () => {
  await enterConfirmed("Ada");
  const callsFor = async (named: string): Promise<string[]> => {
    const calls: string[] = [];
    s.beforeCall = async (call) => void calls.push(call);
    await forget(named);
    s.beforeCall = undefined;
    return calls;
  };
  const known = await callsFor("Ada");
  expect(await callsFor("Nobody")).toEqual(known);
  expect(await callsFor("nobody@example.com")).toEqual(known);
  const from = "203.0.113.7";
  const statuses: number[] = [];
  for (let n = 0; n < 31; n += 1) statuses.push((await forget(`Nobody ${n}`, from)).status);
  expect([statuses.indexOf(429), statuses.length]).toEqual([30, 31]);
});

it("a confirmed address logs in in place of the alias, one that is not confirmed does not", async () => {
  await enter("Una");
  await enterConfirmed("Ada");
  const login = (alias: string, password = PASSWORD) => s.call("POST /login", { body: { alias, password } });
  expect((await login(" Ada@Example.com ")).body.alias).toBe("Ada");
  const refused = await Promise.all([
    login("ada@example.com", "wrong"),
    login("una@example.com"),
    login("nobody@example.com"),
  ]);
  const bodies = refused.map(({ body }) => ({ ...body, request_id: "" }));
  expect(bodies).toEqual(Array(3).fill({ ...bodies[0], status: 401, code: "bad_credentials" }));
});
