/** The deployment to which a rollback goes. tests/deployment/deploy.test.ts rolls back on a fake AWS. */
import { expect, it } from "vitest";
import { stageOf } from "../../scripts/cloud/stage.ts";
import { findPrevious, isRunningLatest } from "../../scripts/deploy/stored.ts";

const region = "eu-central-1";
const stage = stageOf({ stage: "spring", region }, "deploy");

it("a rollback goes to what ran before the running deployment, not to what was rolled back", async () => {
  const [first, second, third] = [1, 2, 3].map((n) => `${n}-1970-01-01T00:00:00.000Z`);
  const template = { Resources: {} };
  const Body = { transformToByteArray: async () => Buffer.from(JSON.stringify(template)) };
  const clients = { s3: { send: async () => ({ Body }) }, region };
  const stored = {
    ...{ bucket: "b", folders: new Set([first, second, third]), ran: [third, second, first] },
    running: { folder: second, template },
  };
  expect(await findPrevious(clients as never, stage, stored as never)).toEqual({ folder: first, template });
  expect(isRunningLatest(stored as never)).toBe(false);
});
