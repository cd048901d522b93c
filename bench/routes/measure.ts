/** Sends requests to one route in every way that costs, and measures each. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { type Handler, isForStaff } from "../../lib/http/definition.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { lambdaContext } from "../../scripts/local/inProcess.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { eventOf, type Request, type RequestOptions } from "../support/events.ts";
import type { Account, Units } from "../support/game.ts";
import { finishSeason, LARGEST, type Largest, type LargestRequest, NOT_FOUND } from "./requests.ts";
import { longText, type Stage } from "./stage.ts";

/** A route and its function. */
export interface Route {
  route: string;
  handler: Handler;
  /** Pages have none. */
  docs: EndpointDocs | undefined;
}

/** Every route, HEAD included. */
export const allRoutes = async (): Promise<Route[]> => {
  const found: Route[] = [];
  for (const { file, routes } of listedFunctions()) {
    const { handler, docs }: { handler: Handler; docs?: EndpointDocs } = await import(join(ROOT, file));
    found.push(...routes.map((route) => ({ route, handler, docs })));
  }
  return found;
};

/**
 * How a request is sent: by `nobody` it is as documented, without a token; `rejected` before anybody is known to have
 * sent it; with a `token` as documented; or the `largest`.
 */
export type Way = "nobody" | "rejected" | "token" | "largest";

/** What a request has cost. */
export interface Cost extends Pick<Units, "read" | "write"> {
  way: Way;
  /** The units of the first of equal requests. */
  first: Pick<Units, "read" | "write">;
  /** Bytes of the response with its headers, as sent to a client that accepts no compression. */
  bytes: number;
  /** The same for a client that accepts compression; only of a GET. */
  compressed: number | undefined;
  /** Bytes of the request. */
  received: number;
  /** Milliseconds of processor time. */
  cpu: number;
}

interface Sent extends LargestRequest {
  way: Way;
}

const isRead = (route: string): boolean => /^(GET|HEAD) /.test(route);

/** A token as long as a true one, of a player who exists. */
const forged = ({ id }: Account): Account => ({
  ...{ id, alias: "", code: "" },
  token: `hvz1.${id}.${"x".repeat(43)}`,
});

/** The sender of the example; `undefined` at a public endpoint. */
const senderOf = ({ handler, docs }: Route, { on }: Stage): Account | undefined => {
  const { access } = handler.endpoint;
  if (access === "public" && docs?.takesToken !== true) return undefined;
  return on[docs?.example.as ?? (isForStaff(access) ? "gm" : "ada")];
};

const textsOf = (values: Readonly<Record<string, unknown>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

/** The request of the documentation's example, without a token. */
const exampleOf = ({ docs }: Route, { on }: Stage): RequestOptions => {
  const { body, query, path } = docs?.example ?? {};
  const [id] = Object.values((typeof path === "function" ? path(on) : path) ?? {});
  return {
    query: textsOf(typeof query === "function" ? query(on) : query),
    ...(body === undefined ? {} : { body: typeof body === "function" ? body(on) : body }),
    ...(id === undefined ? {} : { id }),
  };
};

/** A largest request, with the longest reason and a key where these are allowed. It may first change the game. */
const largestOf = async ({ handler }: Route, given: Largest, stage: Stage): Promise<LargestRequest> => {
  const { takesReason, isIdempotent } = handler.endpoint;
  const largest = typeof given === "function" ? await given(stage) : given;
  const { body } = largest;
  return {
    ...largest,
    ...(body === undefined ? {} : { body: { ...(takesReason ? { reason: longText(280) } : {}), ...body } }),
    ...(isIdempotent ? { key: randomUUID() } : {}),
  };
};

/** Every way in which a route is called. What a request needs is prepared only just before it. */
const waysOf = (one: Route, stage: Stage): (() => Promise<Sent>)[] => {
  const { route, handler } = one;
  const { access } = handler.endpoint;
  const isPublic = access === "public";
  const [example, sender] = [exampleOf(one, stage), senderOf(one, stage)];
  const id = example.id ?? sender?.id;
  const known = { ...example, ...(id === undefined ? {} : { id }) };
  const rejected = (options: RequestOptions) => async (): Promise<Sent> => ({ ...options, way: "rejected" });
  const without = isPublic && sender === undefined;
  const empty = isPublic && route.startsWith("POST ") ? [rejected({ body: {} })] : [];
  return [
    // A public route does not look at a token.
    ...(without
      ? [async (): Promise<Sent> => ({ ...example, way: "nobody" })]
      : [rejected(known), rejected({ ...known, as: forged(sender ?? stage.on.ada) })]),
    ...(isForStaff(access) ? [rejected({ ...example, as: stage.on.ada })] : []),
    ...empty,
    ...(NOT_FOUND[route]?.(stage) ?? []).map(rejected),
    ...(sender === undefined
      ? []
      : [
          async (): Promise<Sent> => {
            const isFinished = one.docs?.example.finished === true;
            const asked = isFinished ? exampleOf(one, await finishSeason(stage)) : example;
            return { ...asked, as: sender, way: "token" };
          },
        ]),
    ...[LARGEST[route] ?? []].flat().map((given) => async (): Promise<Sent> => {
      const largest = await largestOf(one, given, stage);
      return { ...(sender === undefined ? {} : { as: sender }), ...largest, way: "largest" };
    }),
  ];
};

const headerBytes = (headers: Readonly<Record<string, unknown>> = {}): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + `${name}: ${String(value)}\r\n`.length, 0);

const requestBytes = ({ rawPath, rawQueryString, headers, body = "" }: APIGatewayProxyEventV2): number =>
  `GET ${rawPath}?${rawQueryString} HTTP/1.1\r\n\r\n`.length + headerBytes(headers) + Buffer.byteLength(body);

interface Reply extends Pick<Units, "read" | "write"> {
  status: number;
  bytes: number;
  received: number;
  cpu: number;
  etag: string;
  text: string;
}

const sendOnce = async ({ game }: Stage, handler: Handler, request: Request): Promise<Reply> => {
  const event = eventOf({ from: "127.0.0.1", ...request });
  const replies: Awaited<ReturnType<Handler>>[] = [];
  const started = process.cpuUsage();
  const { read, write } = await game.measure(async () => {
    replies.push(await handler.on(game.services)(event, lambdaContext()));
  });
  const { user, system } = process.cpuUsage(started);
  const [{ statusCode, headers, body = "", isBase64Encoded = false } = { statusCode: 0 }] = replies;
  const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  return {
    ...{
      status: statusCode,
      read,
      write,
      received: requestBytes(event),
      text: body.slice(0, 500),
      etag: String(headers?.etag ?? ""),
    },
    // The gateway drops the body of a response to HEAD.
    bytes: headerBytes(headers) + (request.route.startsWith("HEAD ") ? 0 : bytes.length),
    cpu: (user + system) / 1_000,
  };
};

/** Whether a status is that of the way in which the request was sent. */
const isExpected = ({ way, status: wanted }: Sent, status: number): boolean => {
  if (wanted !== undefined) return status === wanted;
  return way === "rejected" ? status < 500 : status < 400;
};

/**
 * Sends a request. A GET is sent again, because the first may store or remember something for the others.
 * @throws Error on a wrong response
 */
const measureOne = async (
  stage: Stage,
  { route, handler }: Route,
  sent: Sent,
  times: number,
): Promise<Cost> => {
  const { way, status: _, ...options } = sent;
  const replies: Reply[] = [];
  const send = async (headers: Record<string, string> = {}): Promise<Reply> => {
    const reply = await sendOnce(stage, handler, { ...options, route, headers });
    // A client that accepts no compression may be refused where only compressed bytes are stored.
    const isRefused = reply.status === 406 && headers["accept-encoding"] === undefined;
    if (!isExpected(sent, reply.status) && !isRefused) {
      throw new Error(`${route}, ${way}: ${reply.status} ${reply.text}`);
    }
    return reply;
  };
  for (let time = 0; time < (isRead(route) ? times : 1); time += 1) replies.push(await send());
  const [first, last] = [replies[0], replies.at(-1)];
  if (first === undefined || last === undefined) throw new Error(`${route} was not sent`);
  const { read, write, bytes, received } = last;
  const asBrowser = async (): Promise<Reply> => {
    const known = await send({ "accept-encoding": "br, gzip" });
    // Most are 304: they must not cost more.
    const { read, write } = await send({ "accept-encoding": "br, gzip", "if-none-match": known.etag });
    return { ...known, read: Math.max(known.read, read), write: Math.max(known.write, write) };
  };
  const compressed = isRead(route) ? await asBrowser() : undefined;
  return {
    ...{ way, bytes, received, compressed: compressed?.bytes },
    read: Math.max(read, compressed?.read ?? 0),
    write: Math.max(write, compressed?.write ?? 0),
    first: { read: first.read, write: first.write },
    cpu: Math.min(...replies.map(({ cpu }) => cpu)),
  };
};

/** Measures every way of calling a route, each in the same game. @param times how often a GET is sent */
export const measureRoute = async (stage: Stage, one: Route, times: number): Promise<Cost[]> => {
  const costs: Cost[] = [];
  for (const prepare of waysOf(one, stage)) {
    costs.push(await measureOne(stage, one, await prepare(), times));
    await stage.undo();
  }
  return costs;
};
