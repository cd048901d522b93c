/**
 * The table's stream, from the commit to the queue, on whichever engine the tests run. The filter's selection of keys is
 * tested in tests/unit/streamFilter.test.ts.
 */
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { handler as announceHandler } from "../../functions/notifications/announce.ts";
import { EVENT_NAMES } from "../../lib/domain/events/gameEvents.ts";
import { DAY } from "../../lib/domain/time.ts";
import type { Database, Write } from "../../lib/dynamodb/database.ts";
import { gameEventsOf } from "../../lib/store/notifications/stream.ts";
import { lambdaContext } from "../../scripts/local/inProcess.ts";
import { readEventSources } from "../../scripts/local/sources.ts";
import { openStreamSource, type StreamSource } from "../../scripts/local/streamSource.ts";
import { createTable } from "../../scripts/local/table.ts";
import { asWorker } from "../support/calls.ts";
import { SHARED_ENGINE } from "../support/engine.ts";
import { testEnvironment } from "../support/service.ts";
import { idOf, shortRequests } from "../support/shortRequests.ts";
import { scan } from "../support/table.ts";

const announce = asWorker("announce", announceHandler);

/** Log entries are written with other names of their attributes, since nothing that is announced depends on them. */
const renamed = (write: Write): Write =>
  "put" in write && write.put.pk.startsWith("LOGS#")
    ? { ...write, put: { pk: write.put.pk, sk: write.put.sk, was: JSON.stringify(write.put) } }
    : write;

const database = (usual: Database): Database => ({
  ...usual,
  transact: (writes, token) => usual.transact(writes.map(renamed), token),
});
const s = testEnvironment({ database });
const { done } = shortRequests(s);
type Records = DynamoDBStreamEvent["Records"];
let sources: StreamSource[] = [];

/** The stream as the deployed worker gets it: filtered, in its batches; or all of it. */
const open = (isFiltered: boolean): StreamSource => {
  const { stream } = readEventSources();
  if (stream === null) throw new Error("no function reads the stream");
  const worker = isFiltered ? stream : { ...stream, patterns: [] };
  return openStreamSource({ ...s.place(), region: "local" }, { worker, positions: new Map() });
};

beforeEach(async () => {
  await createTable(s.place().endpoint, s.place().table, { stream: true });
  sources = [open(true), open(false)];
});
afterEach(() => {
  for (const source of sources.splice(0)) source.close();
});

const readAll = async (source: StreamSource | undefined, work: (event: DynamoDBStreamEvent) => unknown) => {
  const records: Records = [];
  const invoke = async (event: unknown): Promise<unknown> => {
    // As Lambda hands it over: as JSON.
    const given: DynamoDBStreamEvent = JSON.parse(JSON.stringify(event));
    records.push(...given.Records);
    return work(given);
  };
  await source?.read(invoke);
  return records;
};

/** Passes all new records that the filter selects to the worker. @returns the records */
const read = (): Promise<Records> =>
  readAll(sources[0], (event) => announce.on(s.services)(event, lambdaContext()));

/** The new records, whether the filter selects them or not. */
const readUnfiltered = (): Promise<Records> => readAll(sources[1], () => undefined);

/** What a record changes: how, and the beginning of the item's partition key. */
const changeOf = ({ eventName, dynamodb }: Records[number]): string =>
  `${eventName} ${dynamodb?.Keys?.pk?.S?.split("#")[0]}`;

/** The kinds of the queued messages that contain this text. */
const queued = async (text: string): Promise<string[]> =>
  (await s.queued()).flatMap(({ message }) => (JSON.stringify(message).includes(text) ? [message.kind] : []));

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
    const lying = (await scan(s)).filter(({ pk }) => /^(INTERACTIONS|EVENT)#/.test(pk));
    const idOf = ({ pk, sk }: (typeof lying)[number]): string =>
      sk === "EVENT" ? (pk.split("#")[1] ?? "") : sk;
    const inOrder = lying.toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
    expect(told).toEqual(inOrder.map((image) => ({ eventName: "INSERT", image })));
    const kindOf = ({ image }: (typeof told)[number]) => image.kind ?? image.cause;
    expect(told.map(kindOf)).toEqual(["corpsify", "revive_zombie", "set_checkpoint", "hunt"]);
    for (const what of ["checkpoint_set", "killed", "revived_zombie", "tagged"])
      expect(await queued(`"${what}"`)).toHaveLength(1);
    expect(await read()).toEqual([]);
  });

  it("announces a reported tag, a dispute and a test of the webhooks when they are decided, and no other change", async () => {
    const [gm, ada, ben, cid] = await s.game("Ada", "Ben", "Cid");
    const webhooks = [{ url: "https://hooks.example.org/x", format: "signed" }];
    await done(gm, "settings", { webhooks });
    await read();
    const before = (await s.queued()).length;
    let interaction_id = "";
    const report = () => s.must("POST /player/report_tagged/{url_id}", { as: ben, body: {} });
    const tag = async () => {
      interaction_id = idOf(await s.hunt(ada, ben));
    };
    const resolve = () =>
      done(gm, "resolve_dispute", { dispute_id: interaction_id, outcome: "stands", note: "Seen." });
    const takeBack = () => done(gm, "void_hunt", { interaction_id, reason: "No." });
    const dispute = (as: typeof ada) =>
      s.must("POST /interactions/dispute/{url_id}", { as, body: { interaction_id, reason: "No." } });
    const pushes = async (): Promise<string[]> => {
      const messages = (await s.queued()).slice(before).flatMap(({ message }) => message.announcements ?? []);
      return messages.map(({ event }) => event.what);
    };
    type Step = [work: () => Promise<unknown>, selected: string[], pushed: string[]];
    const steps: Step[] = [
      [report, ["INSERT INTERACTIONS"], []],
      [tag, ["MODIFY INTERACTIONS"], ["tagged"]],
      [() => dispute(ben), ["MODIFY INTERACTIONS"], []],
      // The hunt is as it was before. DynamoDB then has no record, but the embedded engine has one.
      [() => dispute(ada), SHARED_ENGINE === undefined ? ["MODIFY INTERACTIONS"] : [], []],
      [resolve, ["MODIFY INTERACTIONS"], ["tag_stands", "tag_stands"]],
      [takeBack, ["INSERT INTERACTIONS", "MODIFY INTERACTIONS"], ["tag_taken_back", "kill_taken_back"]],
      [() => done(gm, "settings", { name: "Autumn" }), [], []],
      [() => done(gm, "settings", { test_webhooks: true }), ["INSERT EVENT"], []],
      [() => done(gm, "settings", { name: "Winter", test_webhooks: true }), ["INSERT EVENT"], []],
      [() => done(gm, "set_checkpoint", { name: "Library" }), ["INSERT EVENT"], []],
      [() => done(gm, "set_checkpoint", { clear: true }), [], []],
      [() => s.must("DELETE /delete_player/{url_id}", { as: cid }), [], []],
    ];
    for (const [work, selected, pushed] of steps) {
      const known = (await pushes()).length;
      await work();
      expect((await read()).map(changeOf)).toEqual(selected);
      expect((await pushes()).slice(known)).toEqual(pushed);
    }
    const tests = (await s.queued()).filter(({ message }) => message.interactions?.length === 0);
    expect(tests.map(({ message }) => message.kind)).toEqual(["webhook", "webhook"]);
    expect(await queued("checkpoint_set")).toEqual(["plan_broadcast"]);
  });

  it("has every event that the filter must select, whatever the log's attributes are called", async () => {
    const [gm, ada, ben, cid, , eve] = await s.game("Ada", "Ben", "Cid", "Dan", "Eve");
    const upon = (word: string, alias: string) => done(gm, word, { alias });
    const hunted = await s.hunt(ada, ben);
    const { interaction_id } = (await s.hunt(ada, cid, { share_with: ["Ben"] })).body.interaction;
    const dispute = { interaction_id, reason: "I was at home." };
    await s.must("POST /interactions/dispute/{url_id}", { as: cid, body: dispute });
    await done(gm, "resolve_dispute", { dispute_id: interaction_id, outcome: "stands", note: "Seen." });
    await done(gm, "void_hunt", { interaction_id: hunted.body.interaction.interaction_id, reason: "No." });
    await upon("cure", "Cid");
    await upon("feed_player", "Ada");
    for (const word of ["zombies_add_day", "pause_game", "resume_game"]) await done(gm, word);
    for (const word of ["corpsify", "revive_h", "make_spectator"]) await upon(word, "Dan");
    await s.must("POST /edit_player/{url_id}", { as: eve, body: { wants_original: true } });
    await done(gm, "draw_originals", { n: 1 });
    await done(gm, "settings", { registration: "approval" });
    await s.join("Fay");
    await upon("admit", "Fay");
    await done(gm, "settings", { checkpoint_outcome: "zombie" });
    await done(gm, "set_checkpoint", { name: "Library" });
    await done(gm, "kill_all_not_at_checkpoint");
    const { checkpoint } = await s.store.game();
    await done(gm, "undo_checkpoint", { checkpoint_id: checkpoint?.checkpoint_id, reason: "Late." });
    await done(gm, "edit_player", { alias: "Ada", is_moderator: true });
    await done(gm, "settings", { test_webhooks: true });
    s.now += 10 * DAY;
    await s.sweep();

    const selected = new Set((await read()).map(({ dynamodb }) => dynamodb?.SequenceNumber));
    const recorded = (await readUnfiltered()).flatMap((record) => {
      const events = gameEventsOf(record.dynamodb?.NewImage, record.eventName === "INSERT");
      expect(selected.has(record.dynamodb?.SequenceNumber), changeOf(record)).toBe(
        /INTERACTIONS|EVENT/.test(changeOf(record)),
      );
      return events === null ? [] : [events];
    });
    const names = new Set(recorded.flatMap(({ events }) => events.map(({ event }) => event.what)));
    // The others are queued without the stream: by the sweep, and by the worker of the queue.
    expect(new Set(EVENT_NAMES).difference(names)).toEqual(new Set(["starving", "alarm"]));
    expect(recorded.filter(({ testsWebhooks }) => testsWebhooks)).toHaveLength(1);
    for (const name of names) expect(await queued(`"${name}"`), name).not.toEqual([]);
    const logged = (await scan(s)).filter(({ pk }) => pk.startsWith("LOGS#"));
    expect(logged.filter(({ action }) => action !== undefined)).toEqual([]);
  });
});
