/** The sink: the push service of the bench. Responds to every message with 201, with as little CPU time as possible. */
import { createServer, type TLSSocket } from "node:tls";
import { listen } from "../../tests/support/listen.ts";
import { serveRequests } from "../support/processes.ts";
import { SAMPLE_EVERY, type Sample, SinkMessage } from "./messages.ts";

const RESPONSE = "HTTP/1.1 201 Created\r\nlocation: /m/1\r\ncontent-length: 0\r\n\r\n";
const END = "\r\n\r\n";

let count = 0;
let samples: Sample[] = [];
let [started, cpuAtStart] = [performance.now(), process.cpuUsage()];

/** Counts the complete requests in these bytes, and responds to them. @returns the remaining bytes */
const respond = (socket: TLSSocket, bytes: Buffer): Buffer => {
  let at = 0;
  let responses = "";
  for (;;) {
    const end = bytes.indexOf(END, at, "latin1");
    if (end < 0) break;
    const head = bytes.toString("latin1", at, end);
    const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
    const [, target] = /^POST \/p\/(\d+) HTTP\/1\.1\r\n/.exec(head) ?? [];
    if (length === undefined || target === undefined) throw new Error(`not a push message: ${head}`);
    const from = end + END.length;
    const to = from + Number(length);
    if (bytes.length < to) break;
    if (count % SAMPLE_EVERY === 0) {
      samples.push({ target: Number(target), body: bytes.subarray(from, to).toString("base64url") });
    }
    count += 1;
    responses += RESPONSE;
    at = to;
  }
  if (responses !== "") socket.write(responses, "latin1");
  return bytes.subarray(at);
};

const serve = (certificate: { key: string; cert: string }): Promise<number> =>
  listen(
    createServer({ ...certificate, ALPNProtocols: ["http/1.1"] }, (socket) => {
      let rest: Buffer = Buffer.alloc(0);
      socket.setNoDelay(true);
      // A broken connection is an error of the sender.
      socket.on("error", () => {});
      socket.on("data", (chunk: Buffer) => {
        rest = respond(socket, rest.length === 0 ? chunk : Buffer.concat([rest, chunk]));
      });
    }),
  );

export const runSink = (): Promise<void> =>
  serveRequests(SinkMessage, async (message) => {
    if ("start" in message) return { port: await serve(message.start) };
    const { user, system } = process.cpuUsage(cpuAtStart);
    const measured = { count, wallMs: performance.now() - started, cpuMs: (user + system) / 1_000, samples };
    [count, samples, started, cpuAtStart] = [0, [], performance.now(), process.cpuUsage()];
    return measured;
  });
