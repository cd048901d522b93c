/** The peer `express`: an Express application with both routes, adapted to Lambda by serverless-http. */
import express, { type Request, type Response } from "express";
import serverless from "serverless-http";
import { hunt, ownPlayer } from "./hand/requests.ts";

const handlerOf =
  (respond: typeof hunt) =>
  async (request: Request, response: Response): Promise<void> => {
    const { status, headers, body } = await respond({
      authorization: request.get("authorization"),
      urlId: request.params.url_id ?? "",
      requestId: request.get("x-request-id") ?? "",
      body: request.body,
    });
    response.status(status).set(headers).send(body);
  };

const app = express();
app.use(express.json());
app.get("/player/:url_id", handlerOf(ownPlayer));
app.post("/zombie/hunt/:url_id", handlerOf(hunt));

export const handler = serverless(app, { requestId: "x-request-id" });
