/** Who gets a role is told, and messages say who sends them. */
import { expect, it } from "vitest";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";

const s = testEnvironment({ at: Date.parse("2026-11-23T09:00:00Z") });
const { done, pushed, read } = shortRequests(s);

it("a new moderator or game master is told by a push and in the inbox, until the role is taken away", async () => {
  const [gm, ada] = [await s.admin(), await s.join("Ada")];
  const titles = async (as: TestPlayer): Promise<string[]> =>
    (await read(as, "/notifications/inbox")).notifications.map(({ title }: { title: string }) => title);
  const give = (roles: object) => done(gm, "edit_player", { alias: "Ada", ...roles });
  await give({ first_name: "Ada" });
  expect(await titles(ada)).toEqual([]);
  s.now += 1_000;
  await give({ is_moderator: true });
  expect(await titles(ada)).toEqual(["You are a moderator now"]);
  s.now += 1_000;
  await give({ is_admin: true });
  const again = await s.login(ada.alias, ada.password);
  const inbox = await read(again, "/notifications/inbox", { limit: 1 });
  expect(inbox.notifications).toMatchObject([
    { title: "You are a game master now", kind: "game", navigate: "/app/gm/now" },
  ]);
  expect(inbox.unread).toBe(1);
  expect(await pushed()).toContain(`role_given ${ada.id}`);
  expect(await titles(await s.join("Ben"))).toEqual([]);
  await give({ is_admin: false, is_moderator: false });
  expect(await titles(again)).toEqual([]);
});
