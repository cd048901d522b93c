/** A DNS server on loopback that knows texts (RFC 1035), and can keep silent. */
import { createSocket } from "node:dgram";
import { once } from "node:events";

const [TXT, CNAME, IN] = [16, 5, 1];
const HEADER = 12;
const RESPONSE = 0x8180;
const [NXDOMAIN, SERVFAIL] = [3, 2];
const POINTER_TO_QUESTION = 0xc00c;

const bytesOf = (...numbers: number[]): Buffer => {
  const bytes = Buffer.alloc(numbers.length * 2);
  numbers.forEach((number, at) => void bytes.writeUInt16BE(number, at * 2));
  return bytes;
};

const nameOf = (labels: string): Buffer =>
  Buffer.concat([
    ...labels.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ]);

/** A text, in strings of 255 bytes as the protocol limits them. */
const textOf = (text: string): Buffer => {
  const parts = text.match(/.{1,255}/g) ?? [""];
  return Buffer.concat(parts.map((part) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part)])));
};

const record = (name: Buffer, type: number, data: Buffer): Buffer =>
  Buffer.concat([name, bytesOf(type, IN, 0, 60, data.length), data]);

/** What a name has: texts, another name that has texts, or a server that fails or keeps silent. */
export type Zone = Record<string, string[] | { cname: string; texts: string[] } | "fails" | "hangs">;

/** Starts the server. @returns its address for `setServers`, and how to stop it */
export const startDnsServer = async (zone: () => Zone) => {
  const socket = createSocket("udp4");
  socket.on("message", (query, { address, port }) => {
    const labels: string[] = [];
    let at = HEADER;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
    const question = query.subarray(HEADER, at + 5);
    const known = zone()[labels.join(".").toLowerCase()];
    if (known === "hangs") return;
    const found = known === undefined || known === "fails" ? [] : Array.isArray(known) ? known : known.texts;
    const alias = typeof known === "object" && "cname" in known ? nameOf(known.cname) : null;
    const answers = [
      ...(alias === null ? [] : [record(bytesOf(POINTER_TO_QUESTION), CNAME, alias)]),
      ...found.map((text) => record(alias ?? bytesOf(POINTER_TO_QUESTION), TXT, textOf(text))),
    ];
    const code = known === undefined ? NXDOMAIN : known === "fails" ? SERVFAIL : 0;
    const header = bytesOf(query.readUInt16BE(0), RESPONSE + code, 1, answers.length, 0, 0);
    socket.send(Buffer.concat([header, question, ...answers]), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { server: `127.0.0.1:${socket.address().port}`, stop: () => socket.close() };
};
