/** The log of requests that are repeated. */
import { expect, it } from "vitest";
import { testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";

const s = testEnvironment();
const { admin, edit, logsOf } = shortRequests(s);

it("a repeated request is logged with its stored result, and its player has the name of now", async () => {
  const [gm, zed, ann] = await s.game("Zed", "Ann");
  const cure = () => admin(gm, "cure", { alias: "Zed" }, "cure-of-zed");
  const { player, interaction } = (await cure()).body;
  // Meanwhile somebody else has that alias, who could be cured.
  for (const [as, alias] of [
    [zed, "Zoe"],
    [ann, "Zed"],
  ] as const) {
    expect((await edit(as, { alias })).status).toBe(200);
    await s.freeAliases(as);
  }
  await s.outbreak(gm, ann);
  expect(await cure()).toMatchObject({
    status: 200,
    body: { player: { ...player, alias: "Zoe" }, interaction: { ...interaction, target: "Zoe" } },
  });
  expect(await logsOf(gm, "cure")).toMatchObject([
    { outcome: "done", target: null },
    { outcome: "done", target: "Zoe" },
  ]);
});
