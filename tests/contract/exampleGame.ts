/** The game of the examples, and their requests. */
import type { ExampleGame } from "../../lib/http/documentation.ts";
import type { Documented, RecordedExample } from "../../scripts/openapi/document.ts";
import { blackPng } from "../support/pictures.ts";
import type { RequestOptions, Someone, TestEnvironment } from "../support/service.ts";
import { createGame, exampleBody, type GameFixture } from "./bodies.ts";
import { expectConforms } from "./conforms.ts";

/**
 * The game that {@link ExampleGame} describes.
 * @param tick lets some time pass, so that lists by time have one order
 */
export const createExampleGame = async (
  s: TestEnvironment,
  tick: () => void,
): Promise<ExampleGame & GameFixture> => {
  const on = await createGame(s);
  const { gm, ada, zed } = on;
  const id = async (route: string, options: RequestOptions, name = "interaction"): Promise<string> => {
    tick();
    const { body } = await s.must(route, options);
    return body[name][`${name}_id`];
  };
  const [yan, rosa, cora, mo] = [
    await s.join("Yan"),
    await s.join("Rosa"),
    await s.join("Cora"),
    await s.join("Mo"),
  ];
  const hunt = await id("POST /zombie/hunt/{url_id}", { as: zed, body: { tag_code: yan.code } });
  const reported = await id("POST /player/report_tagged/{url_id}", { as: rosa, body: { by_alias: "Zed" } });
  await s.must("POST /admin/corpsify/{url_id}", { as: gm, body: { player_id: cora.id } });
  await s.must("POST /admin/edit_player/{url_id}", {
    as: gm,
    body: { player_id: mo.id, is_moderator: true },
  });
  const image = blackPng(1, 1).toString("base64");
  await s.must("POST /set_pfp/{url_id}", { as: ada, body: { image } });
  await s.must("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "The library" } });
  const send = (more: Record<string, unknown>) =>
    id(
      "POST /notifications/send/{url_id}",
      { as: gm, body: { title: "Welcome", content: "Read the rules.", player_groups: "All", ...more } },
      "notification",
    );
  const sent = await send({});
  const scheduled = await send({ send_at: new Date(s.services.clock() + 3_600_000).toISOString() });
  return { ...on, hunt, reported, sent, scheduled };
};

/** Values that are random, by field, and what stands for them in the examples. */
const STAND_INS: Readonly<Record<string, string>> = {
  device_token: "dGhlIGRldmljZSBvZiB0aGUgZXhhbXBsZQ",
  etag: '"5f1d7a84db00d2fce00b31a7fc73224f9f1e2b7f6e5d4c3b2a19080706050403"',
  next_cursor: "AYJ0k3c1Zm9yIHRoZSBuZXh0IHBhZ2U",
  public_key: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  recovery_code: "K7QX-2M9P-HT4C-WN6D",
  tag_code: "K7QX2M9P",
  token: "6f1c2a54-0000-4000-8000-000000000001.Zm9yIHRoZSBleGFtcGxl",
};

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-([47])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;

/** Replaces what is random, and numbers ids in their order, so that an example is the same each time. */
export const withStandIns = (): ((value: unknown) => unknown) => {
  const ids = new Map<string, string>();
  const standIn = (id: string, version: string): string => {
    const known = ids.get(id) ?? `01991c2a-7e5d-${version}000-8000-${String(ids.size + 1).padStart(12, "0")}`;
    ids.set(id, known);
    return known;
  };
  return (value) =>
    value === undefined
      ? undefined
      : JSON.parse(
          JSON.stringify(value, (name, inner: unknown) => {
            if (typeof inner !== "string") return inner;
            return STAND_INS[name] ?? inner.replaceAll(ID, standIn);
          }),
        );
};

const callerOf = ({ info, docs }: Documented, on: GameFixture): Someone | null => {
  if (info.access === "public" && docs.takesToken !== true) return null;
  return on[docs.example.as ?? (/^(admin|mod)/.test(info.access) ? "gm" : "ada")];
};

/** Sends an endpoint's example in a game of its own, and records it. */
export const recordExample = async (
  s: TestEnvironment,
  endpoint: Documented,
  on: ExampleGame & GameFixture,
): Promise<RecordedExample> => {
  const { info, docs, module } = endpoint;
  const { query } = docs.example;
  const request = {
    body: exampleBody(docs, on),
    query: typeof query === "function" ? query(on) : query,
  };
  const as = callerOf(endpoint, on);
  const result = await s.call(info.route, {
    ...(as === null ? {} : { as, id: "me" }),
    ...(request.body === undefined ? {} : { body: request.body }),
    ...(request.query === undefined ? {} : { query: request.query }),
  });
  expectConforms(info.route, result);
  if (result.status >= 300) throw new Error(`${info.route}: ${result.status} ${result.text}`);
  const replace = withStandIns();
  const [body, sent] = [replace(request.body), replace(request.query)];
  return {
    ...(body === undefined ? {} : { body }),
    ...(request.query === undefined ? {} : { query: Object(sent) }),
    status: result.status,
    // The document is no example of itself.
    ...(result.body === undefined || module === "docs" ? {} : { response: replace(result.body) }),
  };
};
