/** Requests as API Gateway hands them to a function. */
import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Prey, Someone } from "./scene.ts";

const HOST = "bench.example.org";
/** One of those that are for documentation: the machine itself would be spared some work. */
const ADDRESS = "198.51.100.7";

const eventOf = (route: string, someone: Someone | null, body?: unknown): APIGatewayProxyEventV2 => {
  const [method = "", pattern = ""] = route.split(" ");
  const path = pattern.replace("{url_id}", someone?.id ?? "");
  return {
    version: "2.0",
    routeKey: route,
    rawPath: path,
    rawQueryString: "",
    headers: {
      accept: "*/*",
      host: HOST,
      "user-agent": "bench",
      "x-forwarded-for": ADDRESS,
      ...(someone === null ? {} : { authorization: `Bearer ${someone.token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(someone === null ? {} : { pathParameters: { url_id: someone.id } }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    isBase64Encoded: false,
    requestContext: {
      accountId: "000000000000",
      apiId: "bench",
      domainName: HOST,
      domainPrefix: "bench",
      http: { method, path, protocol: "HTTP/1.1", sourceIp: ADDRESS, userAgent: "bench" },
      requestId: randomUUID(),
      routeKey: route,
      stage: "$default",
      time: "21/Nov/2026:07:24:00 +0000",
      timeEpoch: Date.now(),
    },
  };
};

export const huntEvent = (hunter: Someone, { code }: Prey): APIGatewayProxyEventV2 =>
  eventOf("POST /zombie/hunt/{url_id}", hunter, { tag_code: code });

export const playerEvent = (someone: Someone): APIGatewayProxyEventV2 =>
  eventOf("GET /player/{url_id}", someone);

export const loginEvent = (alias: string, password: string): APIGatewayProxyEventV2 =>
  eventOf("POST /login", null, { alias, password });
