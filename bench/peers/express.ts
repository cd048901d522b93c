/** One Express application with all routes behind serverless-http; what it does is written by hand. */
import express, { type Request, type Response } from "express";
import serverless from "serverless-http";
import { type Answer, type Asked, HEALTH, hunt, ownPlayer } from "./hand/requests.ts";

const send = (response: Response, { status, headers, body }: Answer): void => {
  response.status(status).set(headers).send(body);
};

const through =
  (work: (asked: Asked) => Promise<Answer>) =>
  async (request: Request, response: Response): Promise<void> => {
    const answer = await work({
      authorization: request.get("authorization"),
      urlId: request.params.url_id ?? "",
      requestId: request.get("x-request-id") ?? "",
      body: request.body,
    });
    send(response, answer);
  };

const app = express();
app.use(express.json());
app.get("/health", (_request, response) => send(response, HEALTH));
app.get("/player/:url_id", through(ownPlayer));
app.post("/zombie/hunt/:url_id", through(hunt));

export const handler = serverless(app, { requestId: "x-request-id" });
