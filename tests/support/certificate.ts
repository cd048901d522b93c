/** A certificate for a server of the tests: signed by itself, for this machine alone, made anew for each run. */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

// X.509 is written in DER (X.690): a tag, a length, and what is inside.
const der = (tag: number, ...inside: Buffer[]): Buffer => {
  const content = Buffer.concat(inside);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};

const sequence = (...inside: Buffer[]): Buffer => der(0x30, ...inside);
const identifier = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));
const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text));
const integer = (bytes: Buffer): Buffer => der(0x02, Buffer.concat([Buffer.from([0x01]), bytes]));

/** The seconds of an instant: `20261121072400Z`. */
const time = (instant: number): Buffer => {
  const text = `${new Date(instant).toISOString().replaceAll(/[-T:]|\..*/g, "")}Z`;
  return der(0x18, Buffer.from(text));
};

const ECDSA_WITH_SHA256 = sequence(identifier("2a8648ce3d040302"));
const COMMON_NAME = identifier("550403");
const SUBJECT_ALT_NAME = identifier("551d11");
const DAY = 86_400_000;

const LOCAL = [der(0x82, Buffer.from("localhost")), der(0x87, Buffer.from([127, 0, 0, 1]))];

/** A key and a certificate (PEM) for 127.0.0.1 and localhost, or for another host. */
export const makeCertificate = (host?: string): { key: string; cert: string } => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(der(0x31, sequence(COMMON_NAME, utf8(host ?? "test"))));
  const names = sequence(...(host === undefined ? LOCAL : [der(0x82, Buffer.from(host))]));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    integer(randomBytes(8)),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(Date.now() - DAY), time(Date.now() + DAY)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(SUBJECT_ALT_NAME, der(0x04, names)))),
  );
  const signature = sign("sha256", toBeSigned, privateKey);
  const certificate = sequence(
    toBeSigned,
    ECDSA_WITH_SHA256,
    der(0x03, Buffer.concat([Buffer.from([0]), signature])),
  );
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
  };
};
