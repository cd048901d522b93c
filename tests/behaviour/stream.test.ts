/** The table's stream, from the commit to the queue, on whichever engine the tests run. */
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { handler as announceHandler } from "../../functions/notifications/announce.ts";
import { lambdaContext } from "../../scripts/local/inProcess.ts";
import { readEventSources } from "../../scripts/local/sources.ts";
import { openCheckpoint, openStreamSource, type StreamSource } from "../../scripts/local/streamSource.ts";
import { createTable } from "../../scripts/local/table.ts";
import { asWorker } from "../support/calls.ts";
import { testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { scan } from "../support/table.ts";

const announce = asWorker("announce", announceHandler);

const s = testEnvironment();
const { done } = shortRequests(s);
let source: StreamSource | undefined;
let lost: string[] = [];

/** The stream as the deployed worker gets it: filtered, in its batches. */
const open = (): StreamSource => {
  const { stream } = readEventSources();
  if (stream === null) throw new Error("no function reads the stream");
  return openStreamSource(
    { ...s.place(), region: "local" },
    {
      worker: stream,
      checkpoint: openCheckpoint(null),
      onLost: (first, _last, fault) => lost.push(`${first}: ${fault}`),
    },
  );
};

beforeEach(async () => {
  lost = [];
  await createTable(s.place().endpoint, s.place().table, { stream: true });
  source = open();
});
afterEach(() => {
  source?.close();
  source = undefined;
});

/** Passes all new records to the worker. @returns the records */
const read = async (): Promise<DynamoDBStreamEvent["Records"]> => {
  const records: DynamoDBStreamEvent["Records"] = [];
  const invoke = async (event: unknown): Promise<unknown> => {
    // As Lambda hands it over: as JSON.
    const given: DynamoDBStreamEvent = JSON.parse(JSON.stringify(event));
    records.push(...given.Records);
    return announce.on(s.services)(given, lambdaContext());
  };
  while (((await source?.takeBatch(invoke)) ?? 0) > 0);
  return records;
};

describe("the table's stream", () => {
  it("has each interaction and new checkpoint once, as it is stored and in order, and the worker queues its push", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    await done(gm, "set_checkpoint", { name: "Library" });
    await s.hunt(ada, ben, { note: "by the 😀 bridge", latitude: 51.5, longitude: -0.1 });
    const records = await read();
    const told = records.map(({ eventName, dynamodb }) => ({
      eventName,
      // The types of Lambda and of the SDK describe the same structure.
      image: unmarshall((dynamodb?.NewImage ?? {}) as Parameters<typeof unmarshall>[0]),
    }));
    const lying = (await scan(s)).filter(
      ({ pk, action, outcome }) =>
        pk === "INTERACTIONS#0" || (pk === "LOGS#0" && action === "set_checkpoint" && outcome === "done"),
    );
    const inOrder = lying.toSorted((one, other) => (one.sk < other.sk ? -1 : 1));
    expect(told).toEqual(inOrder.map((image) => ({ eventName: "INSERT", image })));
    const kindOf = ({ image }: (typeof told)[number]) => image.kind ?? image.action;
    expect(told.map(kindOf)).toEqual(["corpsify", "revive_zombie", "set_checkpoint", "hunt"]);
    const queued = async (what: string) => JSON.stringify(await s.queued()).split(`"${what}"`).length - 1;
    for (const what of ["checkpoint_set", "killed", "revived_zombie", "tagged"])
      expect(await queued(what)).toBe(1);
    expect(await read()).toEqual([]);
    // A void also changes players; the stream's filter drops these writes. It marks the hunt, which has no new event.
    const cid = await s.join("Cid");
    await s.must("POST /player/report_tagged/{url_id}", { as: cid, body: {} });
    const { interaction_id } = (await s.hunt(ben, cid)).body.interaction;
    await done(gm, "void_hunt", { interaction_id, reason: "No." });
    await s.must("DELETE /delete_player/{url_id}", { as: ada });
    const kinds = (await read()).map(({ dynamodb }) => dynamodb?.NewImage?.kind?.S);
    expect(kinds).toEqual(["hunt", "hunt", "void", "hunt"]);
    expect(await queued("tagged")).toBe(2);
    expect(lost).toEqual([]);
  });

  it("has a dispute that was decided for the hunter and a request to test the webhooks, but no other change of settings", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    const { interaction_id: dispute_id } = (await s.hunt(ada, ben)).body.interaction;
    const body = { interaction_id: dispute_id, reason: "I was at home." };
    await s.must("POST /interactions/dispute/{url_id}", { as: ben, body });
    await read();
    const outcome = { dispute_id, outcome: "stands", note: "Two witnesses." };
    for (const [word, body, told] of [
      ["resolve_dispute", outcome, ["DISPUTE"]],
      ["settings", { name: "Autumn" }, []],
      ["settings", { test_webhooks: true }, ["LOGS"]],
    ] as const) {
      await done(gm, word, body);
      expect((await read()).map(({ dynamodb }) => dynamodb?.Keys?.pk?.S?.split("#")[0])).toEqual(told);
    }
    const announced = (await s.queued()).map(({ message }) => JSON.stringify(message));
    expect(announced.filter((text) => text.includes("tag_stands"))).toHaveLength(1);
    expect(lost).toEqual([]);
  });
});
