/** The peer `fastify`: a server of Fastify with both routes, without a gateway in front of it. */
import fastify, { type Reply, type Request } from "fastify";
import { hunt, ownPlayer } from "./hand/requests.ts";

const handlerOf =
  (respond: typeof hunt) =>
  async ({ headers, params, id, body }: Request, reply: Reply): Promise<Reply> => {
    const request = { authorization: headers.authorization, urlId: params.url_id ?? "", requestId: id, body };
    const response = await respond(request);
    return reply.code(response.status).headers(response.headers).send(response.body);
  };

/** Starts the server. @returns its URL */
export const startFastify = async (): Promise<string> => {
  const app = fastify();
  app.get("/player/:url_id", handlerOf(ownPlayer));
  app.post("/zombie/hunt/:url_id", handlerOf(hunt));
  return app.listen({ host: "127.0.0.1", port: 0 });
};
