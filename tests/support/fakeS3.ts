/** Buckets, as far as the framework uses them. */
import { type Answers, type Asked, CloudFault, Plain } from "./cloud.ts";

interface Stored {
  body: string;
  headers: Record<string, string>;
  at: Date;
}

/** Objects by `/bucket/key`. */
export type Buckets = Map<string, Stored>;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

const metadata = (headers: Asked["headers"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith("x-amz-meta-") && typeof value === "string" ? [[name, value]] : [],
    ),
  );

/** What is asked for: the path of an object, and what of it. */
const placeOf = ({ what }: Asked): { path: string; query: URLSearchParams } => {
  const { pathname, searchParams } = new URL(what.split(" ")[2] ?? "/", "http://s3");
  return { path: decodeURIComponent(pathname), query: searchParams };
};

/** What is answered of buckets; parts of an object count for the whole of it when they are all there. */
export const answersOfS3 = (buckets: Buckets): Answers => {
  const uploads = new Map<string, Stored>();
  const put = (path: string, body: string, headers: Record<string, string>): Plain => {
    buckets.set(path, { body, headers, at: new Date() });
    return new Plain("", { etag: '"0"' });
  };
  const listing = (asked: Asked, list: string, entry: string): Plain => {
    const { path, query } = placeOf(asked);
    const start = `${path.replace(/\/$/, "")}/`;
    const entries = [...buckets]
      .filter(([key]) => key.startsWith(start + (query.get("prefix") ?? "")))
      .map(([key, { at }]) => {
        const told = `<Key>${escaped(key.slice(start.length))}</Key><LastModified>${at.toISOString()}</LastModified>`;
        return `<${entry}>${told}<VersionId>null</VersionId><Size>1</Size></${entry}>`;
      });
    return new Plain(`<${list}><IsTruncated>false</IsTruncated>${entries.join("")}</${list}>`);
  };
  return [
    [
      /^s3 POST .*[?&]uploads/,
      (_, asked) => {
        const { path } = placeOf(asked);
        uploads.set(path, { body: "", headers: metadata(asked.headers), at: new Date() });
        return new Plain(
          `<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>`,
        );
      },
    ],
    [/^s3 PUT .*partNumber=/, () => new Plain("", { etag: '"0"' })],
    [
      /^s3 POST .*uploadId=/,
      (_, asked) => {
        const { path } = placeOf(asked);
        put(path, "", uploads.get(path)?.headers ?? {});
        return new Plain(`<CompleteMultipartUploadResult><ETag>"0"</ETag></CompleteMultipartUploadResult>`);
      },
    ],
    [
      /^s3 POST .*[?&]delete/,
      (body: string, asked) => {
        const { path } = placeOf(asked);
        for (const [, key] of body.matchAll(/<Key>([^<]+)<\/Key>/g)) {
          buckets.delete(`${path.replace(/\/$/, "")}/${key}`);
        }
        return new Plain("<DeleteResult></DeleteResult>");
      },
    ],
    [/^s3 HEAD \/[^/?]+\/?(\?|$)/, () => new Plain("", { "x-amz-bucket-region": "eu-central-1" })],
    [/^s3 GET .*[?&]location/, () => new Plain("<LocationConstraint>eu-central-1</LocationConstraint>")],
    [/^s3 GET .*[?&]versions/, (_, asked) => listing(asked, "ListVersionsResult", "Version")],
    [/^s3 GET .*list-type=2/, (_, asked) => listing(asked, "ListBucketResult", "Contents")],
    [
      /^s3 (GET|HEAD) /,
      (_, asked) => {
        const found = buckets.get(placeOf(asked).path);
        if (found === undefined) throw new CloudFault("NoSuchKey", "no such key", 404);
        return new Plain(asked.what.startsWith("s3 HEAD") ? "" : found.body, found.headers);
      },
    ],
    [/^s3 PUT /, (body: string, asked) => put(placeOf(asked).path, body, metadata(asked.headers))],
  ];
};
