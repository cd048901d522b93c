/** Buckets, as far as the framework uses them. */
import { AwsError, type AwsRequest, type Responses, RestResponse } from "./cloud.ts";

interface Stored {
  body: string;
  headers: Record<string, string>;
  at: Date;
}

/** Objects by `/bucket/key`. */
export type Buckets = Map<string, Stored>;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

const metadata = (headers: AwsRequest["headers"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith("x-amz-meta-") && typeof value === "string" ? [[name, value]] : [],
    ),
  );

/** What is asked for: the path of an object, and what of it. */
const placeOf = ({ what }: AwsRequest): { path: string; query: URLSearchParams } => {
  const { pathname, searchParams } = new URL(what.split(" ")[2] ?? "/", "http://s3");
  return { path: decodeURIComponent(pathname), query: searchParams };
};

/** What is answered of buckets; parts of an object count for the whole of it when they are all there. */
export const s3Responses = (buckets: Buckets): Responses => {
  const uploads = new Map<string, Stored>();
  const put = (path: string, body: string, headers: Record<string, string>): RestResponse => {
    buckets.set(path, { body, headers, at: new Date() });
    return new RestResponse("", { etag: '"0"' });
  };
  const listing = (asked: AwsRequest, list: string, entry: string): RestResponse => {
    const { path, query } = placeOf(asked);
    const start = `${path.replace(/\/$/, "")}/`;
    const entries = [...buckets]
      .filter(([key]) => key.startsWith(start + (query.get("prefix") ?? "")))
      .map(([key, { at }]) => {
        const told = `<Key>${escaped(key.slice(start.length))}</Key><LastModified>${at.toISOString()}</LastModified>`;
        return `<${entry}>${told}<VersionId>null</VersionId><Size>1</Size></${entry}>`;
      });
    return new RestResponse(`<${list}><IsTruncated>false</IsTruncated>${entries.join("")}</${list}>`);
  };
  return [
    [
      /^s3 POST .*[?&]uploads/,
      (_, asked) => {
        const { path } = placeOf(asked);
        uploads.set(path, { body: "", headers: metadata(asked.headers), at: new Date() });
        return new RestResponse(
          `<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>`,
        );
      },
    ],
    [/^s3 PUT .*partNumber=/, () => new RestResponse("", { etag: '"0"' })],
    [
      /^s3 POST .*uploadId=/,
      (_, asked) => {
        const { path } = placeOf(asked);
        put(path, "", uploads.get(path)?.headers ?? {});
        return new RestResponse(
          `<CompleteMultipartUploadResult><ETag>"0"</ETag></CompleteMultipartUploadResult>`,
        );
      },
    ],
    [
      /^s3 POST .*[?&]delete/,
      (body: string, asked) => {
        const { path } = placeOf(asked);
        for (const [, key] of body.matchAll(/<Key>([^<]+)<\/Key>/g)) {
          buckets.delete(`${path.replace(/\/$/, "")}/${key}`);
        }
        return new RestResponse("<DeleteResult></DeleteResult>");
      },
    ],
    [/^s3 HEAD \/[^/?]+\/?(\?|$)/, () => new RestResponse("", { "x-amz-bucket-region": "eu-central-1" })],
    [
      /^s3 GET .*[?&]location/,
      () => new RestResponse("<LocationConstraint>eu-central-1</LocationConstraint>"),
    ],
    [/^s3 GET .*[?&]versions/, (_, asked) => listing(asked, "ListVersionsResult", "Version")],
    [/^s3 GET .*list-type=2/, (_, asked) => listing(asked, "ListBucketResult", "Contents")],
    [
      /^s3 (GET|HEAD) /,
      (_, asked) => {
        const found = buckets.get(placeOf(asked).path);
        if (found === undefined) throw new AwsError("NoSuchKey", "no such key", 404);
        return new RestResponse(asked.what.startsWith("s3 HEAD") ? "" : found.body, found.headers);
      },
    ],
    [/^s3 PUT /, (body: string, asked) => put(placeOf(asked).path, body, metadata(asked.headers))],
  ];
};
