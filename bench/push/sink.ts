/** A push service of the bench: reads every message, answers 201, and costs as little as it can. */
import { createServer, type TLSSocket } from "node:tls";
import { tell, untilLetGo } from "../support/processes.ts";
import { type Sample, SinkAsked } from "./talk.ts";

const ANSWER = "HTTP/1.1 201 Created\r\nlocation: /m/1\r\ncontent-length: 0\r\n\r\n";
const END = "\r\n\r\n";
/** One body of so many is kept, to be read by those who can. */
const SAMPLE_EVERY = 97;

let count = 0;
let samples: Sample[] = [];
let cpu = process.cpuUsage();

/** Reads the requests at the start of these bytes. @returns what is left of them */
const read = (socket: TLSSocket, bytes: Buffer): Buffer => {
  let at = 0;
  let answers = "";
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
    answers += ANSWER;
    at = to;
  }
  if (answers !== "") socket.write(answers, "latin1");
  return bytes.subarray(at);
};

const serve = async (certificate: { key: string; cert: string }): Promise<number> => {
  const server = createServer({ ...certificate, ALPNProtocols: ["http/1.1"] }, (socket) => {
    let rest: Buffer = Buffer.alloc(0);
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      rest = read(socket, rest.length === 0 ? chunk : Buffer.concat([rest, chunk]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", 1_024, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the service has no port");
  return address.port;
};

/** Serves until the bench lets go. */
export const runSink = async (): Promise<void> => {
  process.on("message", async (raw: unknown) => {
    const asked = SinkAsked.parse(raw);
    if ("start" in asked) {
      tell({ port: await serve(asked.start) });
      return;
    }
    const { user, system } = process.cpuUsage(cpu);
    tell({ count, cpu: user + system, samples });
    count = 0;
    samples = [];
    cpu = process.cpuUsage();
  });
  await untilLetGo();
};
