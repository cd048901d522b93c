/** One Hono application with all routes behind its Lambda adapter; what it does is written by hand. */
import { type Context, Hono } from "hono";
import { handle } from "hono/aws-lambda";
import { type Answer, type Asked, HEALTH, hunt, ownPlayer } from "./hand/requests.ts";

const send = (c: Context, { status, headers, body }: Answer): Response => c.body(body, status, headers);

const through =
  (work: (asked: Asked) => Promise<Answer>) =>
  async (c: Context): Promise<Response> => {
    const answer = await work({
      authorization: c.req.header("authorization"),
      urlId: c.req.param("url_id") ?? "",
      requestId: c.env.lambdaContext.awsRequestId,
      body: c.req.method === "POST" ? await c.req.json() : {},
    });
    return send(c, answer);
  };

const app = new Hono();
app.get("/health", (c) => send(c, HEALTH));
app.get("/player/:url_id", through(ownPlayer));
app.post("/zombie/hunt/:url_id", through(hunt));

export const handler = handle(app);
